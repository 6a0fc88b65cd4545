"""Targets that an EAGLE-3 head can draft for, by the first vLLM release whose model class has the hooks.

Before such a release the server ends at start (from 0.8.5 to 0.10.0 with "Eagle3 is only supported for Llama models").
"""

from matrix.engines.quirks import Quirk, proof
from matrix.engines.vllm_rows import vllm_row

_MODELS = "model_executor/models"


def _row(architecture: str, since: str, before: str, file: str, *, inherits: bool = False, pull: int = 0) -> Quirk:
    """`before` is the release before; a class that inherits the hooks has no text of its own to witness."""
    path = f"{_MODELS}/{file}.py"
    reason = f"the class {'inherits' if inherits else 'implements'} SupportsEagle3"
    witnesses = proof(path, "SupportsEagle3", f"{since} 0.32.0", before)
    return vllm_row(architecture, since, None, "eagle3", reason, pull or f"vllm/{path}", witnesses)


TARGETS = (
    _row("Qwen3ForCausalLM", "0.10.1", "0.10.0", "qwen3"),
    _row("Qwen2ForCausalLM", "0.10.2", "0.10.1.1", "qwen2"),
    _row("GptOssForCausalLM", "0.11.0", "0.10.2", "gpt_oss"),
    _row("MiniCPMForCausalLM", "0.11.0", "0.10.2", "minicpm"),
    _row("Qwen2_5_VLForConditionalGeneration", "0.11.1", "0.11.0", "qwen2_5_vl", pull=22872),
    _row("Qwen3MoeForCausalLM", "0.11.1", "0.11.0", "qwen3_moe"),
    _row("Llama4ForConditionalGeneration", "0.11.1", "0.11.0", "mllama4"),
    _row("Qwen3VLForConditionalGeneration", "0.12.0", "0.11.2", "qwen3_vl", pull=29594),
    vllm_row(
        "Qwen3VLMoeForConditionalGeneration",
        "0.15.0",
        None,
        "eagle3",
        "its class has the hooks from 0.12.0 on, but the proposer knows its image token from here on only",
        32048,
        proof("v1/spec_decode/eagle.py", "Qwen3VLMoeForConditionalGeneration", "0.15.0", "0.14.1")
        + proof("v1/spec_decode/llm_base_proposer.py", "Qwen3VLMoeForConditionalGeneration", "0.32.0"),
    ),
    _row("LlavaForConditionalGeneration", "0.15.0", "0.14.1", "llava"),
    _row("Mistral3ForConditionalGeneration", "0.16.0", "0.15.1", "mistral3"),
    _row("DeepseekV2ForCausalLM", "0.18.0", "0.17.1", "deepseek_v2"),
    _row("DeepseekV3ForCausalLM", "0.18.0", "0.17.1", "deepseek_v2", inherits=True),
    _row("KimiK25ForConditionalGeneration", "0.18.0", "0.17.1", "kimi_k25"),
    _row("Gemma4ForCausalLM", "0.19.1", "0.18.0", "gemma4"),
    _row("Gemma4ForConditionalGeneration", "0.19.1", "0.18.0", "gemma4_mm"),
    _row("MiniMaxM2ForCausalLM", "0.20.0", "0.19.1", "minimax_m2"),
    _row("Qwen3NextForCausalLM", "0.24.0", "0.23.0", "qwen3_next"),
)
"""The topic is the architecture that the target's config names."""
