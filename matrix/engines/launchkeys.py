"""Keys and methods of vLLM's `--speculative-config` by release, 0.8.5 to 0.33.0, read from release sources."""

from packaging.version import Version

from matrix.engines.launchflags import Effect
from matrix.engines.vllm_methods import METHODS as _METHOD_ROWS

UNKNOWN_KEY = (
    Effect("<0.9.2", "refused", "TypeError at start (seen in 0.8.5 and 0.9.0.1)"),
    Effect(">=0.9.2,<=0.15.1", "ignored", "silently ignored"),
    Effect(">0.15.1", "refused", "unexpected keyword at start (seen from 0.16.0 on)"),
)
"""What a release does with a key that it does not have."""

_BOUNDS = (("0", "0.9.1"), ("0.9.2", "0.15.1"), ("0.15.1.1", "999"))

NEVER_RAN = {
    "draft_model": (
        Effect(">=0.10.0,<0.15.0", "refused", "draft models are not supported there; back from 0.15.0 on"),
        Effect("<0.10.0", "changed", "runs on the V0 engine there, whose counters differ"),
    ),
    "mlp_speculator": (Effect(">=0.10.0", "refused", "never ran on the V1 engine"),),
}


def _span(names: str, since: str | None = None, until: str | None = None) -> dict[str, tuple[str | None, str | None]]:
    return dict.fromkeys(names.split(), (since, until))


KEYS: dict[str, tuple[str | None, str | None]] = {
    **_span("method model num_speculative_tokens draft_tensor_parallel_size max_model_len quantization revision"),
    **_span("code_revision prompt_lookup_max prompt_lookup_min"),
    **_span("acceptance_method disable_mqa_scorer posterior_threshold posterior_alpha", None, "0.9.2"),
    **_span("disable_logprobs", None, "0.11.0"),
    **_span("disable_by_batch_size", None, "0.16.0"),
    **_span("speculative_token_tree", "0.9.0.1", "0.20.2"),
    **_span("enforce_eager disable_padded_drafter_batch", "0.11.0"),
    **_span("suffix_decoding_max_tree_depth suffix_decoding_max_cached_requests", "0.11.2"),
    **_span("suffix_decoding_max_spec_factor suffix_decoding_min_token_prob", "0.11.2"),
    **_span("parallel_drafting", "0.16.0"),
    **_span("use_local_argmax_reduction draft_load_config", "0.17.1"),
    **_span("moe_backend rejection_sample_method", "0.20.2"),
    **_span("synthetic_acceptance_rates synthetic_acceptance_length", "0.20.2"),
    **_span("attention_backend draft_sample_method", "0.22.1"),
    **_span("use_heterogeneous_vocab num_speculative_tokens_per_batch_size", "0.25.1"),
    **_span("kv_cache_dtype index_share_for_mtp_iteration enable_adaptive_verification dspark_draft_topk", "0.29.0"),
    **_span("disable_eagle_block_drop", "0.32.0"),
    **_span("disable_lookahead_block_hashes draft_lm_head_quantization xpress_topc", "0.33.0"),
    **_span("fly_window_size fly_entropy_threshold fly_entropy_top_k", "0.33.0"),
}

METHODS: dict[str, tuple[str | None, str | None]] = {
    **{row.topic: (row.since, row.until) for row in _METHOD_ROWS if row.topic == row.what},
    # Refused from 0.10.0 to 0.14.1 and accepted before and after: its spans stand in NEVER_RAN.
    "draft_model": (None, None),
}
"""vLLM's names of methods with the first and the last release that accept them."""


def outside(since: str | None, until: str | None) -> tuple[Effect, ...]:
    """What the releases before `since` and after `until` do with a key; spans without a release are left out."""
    rows = []
    for row, (first, last) in zip(UNKNOWN_KEY, _BOUNDS, strict=True):
        if since and Version(first) < Version(since):
            rows.append(Effect(f"{row.releases},<{since}", row.effect, f"not a key before {since}: {row.why}"))
        if until and Version(last) > Version(until):
            rows.append(Effect(f"{row.releases},>{until}", row.effect, f"not a key after {until}: {row.why}"))
    return tuple(rows)
