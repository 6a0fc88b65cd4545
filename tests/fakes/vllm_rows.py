"""What vLLM 0.8.5 to 0.33.0 say on the wire, in the log and to their command line: see `tests.fakes.rows`."""

from tests.fakes.rows import Row

RELEASES = ["0.8.5", "0.9.0.1", "0.9.2", "0.10.0", "0.10.2", "0.11.0", "0.11.2", "0.12.0", "0.14.1", "0.17.1"]
RELEASES += ["0.20.2", "0.25.1", "0.28.0", "0.29.0", "0.32.0", "0.33.0"]

_SPEC, _LOGGERS, _V0 = "vllm/v1/spec_decode/metrics.py", "vllm/v1/metrics/loggers.py", "vllm/engine/metrics.py"
_CONFIG = "vllm/config.py|vllm/config/*.py"
_ARGS = "vllm/engine/arg_utils.py|vllm/entrypoints/*/cli_args.py"
_ENTRY = "vllm/entrypoints/openai/api_server.py|vllm/entrypoints/launchers/*entry.py"


def _metric(topic: str, name: str, file: str = _SPEC, since: str | None = None, until: str | None = None) -> Row:
    """On the wire counters end in `_total`, which only some releases write in the source."""
    return Row(topic, since, until, f"vllm:{name}", file, (f'"vllm:{name}"', f'"vllm:{name}_total"'))


def _flag(name: str, since: str | None = None, until: str | None = None) -> Row:
    """A flag is written out, or derived from a field of a dataclass."""
    return Row(
        "flag", since, until, f"--{name}", _ARGS, (f'"--{name}"', f"'--{name}'", f"\n    {name.replace('-', '_')}: ")
    )


METRICS = (
    _metric("steps", "spec_decode_num_drafts"),
    _metric("proposed", "spec_decode_num_draft_tokens"),
    _metric("accepted", "spec_decode_num_accepted_tokens"),
    _metric("position", "spec_decode_num_accepted_tokens_per_pos"),
    _metric("tokens", "generation_tokens", _LOGGERS),
    _metric("decode", "time_per_output_token_seconds", _LOGGERS, until="0.11.2"),
    _metric("decode", "inter_token_latency_seconds", _LOGGERS, since="0.10.2"),
    _metric("hidden-decode", "time_per_output_token_seconds", _LOGGERS, since="0.12.0", until="0.14.1"),
    _metric("v0-rate", "spec_decode_draft_acceptance_rate", _V0, until="0.9.2"),
    _metric("v0-efficiency", "spec_decode_efficiency", _V0, until="0.9.2"),
    _metric("v0-accepted", "spec_decode_num_accepted_tokens", _V0, until="0.9.2"),
    _metric("v0-proposed", "spec_decode_num_draft_tokens", _V0, until="0.9.2"),
    _metric("v0-emitted", "spec_decode_num_emitted_tokens", _V0, until="0.9.2"),
    _metric("v0-decode", "time_per_output_token_seconds", _V0, until="0.9.2"),
    _metric("v0-tokens", "generation_tokens", _V0, until="0.9.2"),
)

_OLD_LINE = (
    "SpecDecoding metrics: Draft acceptance rate: %.1f%%, Mean acceptance length: %.2f, Accepted: %d tokens, "
    "Drafted: %d tokens, Per-position acceptance rate: %s"
)
_LINE = (
    "SpecDecoding metrics: Mean acceptance length: %.2f, Accepted throughput: %.2f tokens/s, "
    "Drafted throughput: %.2f tokens/s, Accepted: %d tokens, Drafted: %d tokens, "
    "Per-position acceptance rate: %s, Avg Draft acceptance rate: %.1f%%"
)
_V0_LINE = (
    "Speculative metrics: Draft acceptance rate: {:.3f}, System efficiency: {:.3f}, Number of speculative tokens: {}, "
    "Number of accepted tokens: {}, Number of draft tokens: {}, Number of emitted tokens: {}."
)
_V0_SOURCE = (
    "Speculative metrics: Draft acceptance rate: {metrics.draft_acceptance_rate:.3f}, "
    "System efficiency: {metrics.system_efficiency:.3f}, Number of speculative tokens: {metrics.num_spec_tokens}, "
    "Number of accepted tokens: {metrics.accepted_tokens}, Number of draft tokens: {metrics.draft_tokens}, "
    "Number of emitted tokens: {metrics.emitted_tokens}."
)

LOG = (
    Row("line", None, "0.10.0", _OLD_LINE, _SPEC),
    Row("line", "0.10.2", None, _LINE, _SPEC),
    Row("mean", None, "0.8.5", "0", _SPEC, ("mean_acceptance_length = (num_accepted_tokens / num_drafts)",)),
    Row("mean", "0.9.0", None, "1", _SPEC, ("mean_acceptance_length = 1 + (num_accepted_tokens / num_drafts)",)),
    Row("v0-line", None, "0.9.2", _V0_LINE, _V0, (_V0_SOURCE,)),
    Row("interval", None, "0.10.0", "10", "vllm/entrypoints/openai/api_server.py", ("asyncio.sleep(10.)",)),
    Row("interval", "0.10.1", None, "VLLM_LOG_STATS_INTERVAL", "vllm/envs.py"),
    Row("starts", None, None, "Initializing a V1 LLM engine (v%s) with config: %s", "vllm/v1/engine/core.py"),
    Row("v0-starts", None, "0.9.2", "Initializing a V0 LLM engine (v%s) with config: %s", "vllm/engine/llm_engine.py"),
    Row("config", None, None, "SpeculativeConfig({method=}, {model=}, {num_spec_tokens=})", _CONFIG),
    Row("serves", None, "0.9.0.1", "Starting vLLM API server on %s", _ENTRY, ("Starting vLLM API server on http%s",)),
    Row(
        "serves", "0.9.2", "0.17.1", "Starting vLLM API server 0 on %s", _ENTRY, ("Starting vLLM API server %d on %s",)
    ),
    Row("serves", "0.20.0", None, "Starting vLLM server on %s", _ENTRY),
)

_FINGERPRINT = "vllm/entrypoints/*fingerprint.py"
_REQUEST = "vllm/v1/metrics/stats.py"
BODY = (
    Row("fingerprint", "0.25.0", None, "vllm-%s-%s", _FINGERPRINT, ("build_system_fingerprint",)),
    *(
        Row("own", "0.29.0", None, name, _REQUEST, (f'"{name}"',))
        for name in (
            "mean_acceptance_length",
            "draft_acceptance_rate",
            "acceptance_histogram",
            "num_spec_steps",
            "num_accepted_draft_tokens",
            "num_draft_tokens",
            "num_spec_tokens",
        )
    ),
    Row("own-block", "0.29.0", None, "speculative_decoding", "vllm/entrypoints/*protocol.py|vllm/v1/metrics/stats.py"),
    Row(
        "own-refused",
        "0.29.0",
        None,
        "--per-request-spec-decode-metrics requires speculative decoding to be enabled (via --speculative-config).",
        "vllm/config/vllm.py",
    ),
)

FLAGS = (
    *(
        _flag(name)
        for name in (
            "model",
            "served-model-name",
            "host",
            "port",
            "seed",
            "enable-prefix-caching",
            "generation-config",
            "speculative-config",
            "dtype",
            "max-model-len",
            "enforce-eager",
            "tensor-parallel-size",
            "pipeline-parallel-size",
            "data-parallel-size",
            "max-num-seqs",
            "max-num-batched-tokens",
            "gpu-memory-utilization",
            "trust-remote-code",
            "limit-mm-per-prompt",
            "show-hidden-metrics-for-version",
            "disable-log-stats",
            "api-key",
            "enable-chunked-prefill",
            "load-format",
            "quantization",
            "kv-cache-dtype",
            "block-size",
            "hf-overrides",
        )
    ),
    _flag("num-lookahead-slots", until="0.11.2"),
    _flag("swap-space", until="0.17.1"),
    _flag("disable-log-requests", until="0.16.0"),
    _flag("enable-log-requests", since="0.10.2"),
    _flag("async-scheduling", since="0.10.0"),
    _flag("kv-cache-memory-bytes", since="0.10.2"),
    _flag("attention-backend", since="0.14.1"),
    _flag("spec-method", since="0.22.1"),
    _flag("spec-model", since="0.22.1"),
    _flag("spec-tokens", since="0.22.1"),
    _flag("per-request-spec-decode-metrics", since="0.29.0"),
)

_UNKNOWN = "SpeculativeConfig.__init__() got an unexpected keyword argument {!r}"
_FORBIDDEN = "1 validation error for SpeculativeConfig\n{}\n  Unexpected keyword argument"
_NOT_YET = "Speculative decoding with draft model is not supported yet. "
_NO_V1 = "VLLM_USE_V1=1 is not supported with {feature_name}."


def _key(name: str, since: str | None = None, until: str | None = None) -> Row:
    return Row("key", since, until, name, _CONFIG, (f"\n    {name}: ",))


def _method(name: str, since: str | None, until: str | None, engine: str) -> Row:
    return Row(f"method {name}", since, until, engine, _CONFIG, (f'"{name}"',))


SPEC = (
    *(
        _key(name)
        for name in (
            "method",
            "model",
            "num_speculative_tokens",
            "draft_tensor_parallel_size",
            "max_model_len",
            "quantization",
            "revision",
            "prompt_lookup_max",
            "prompt_lookup_min",
        )
    ),
    _key("disable_by_batch_size", until="0.16.0"),
    _key("enforce_eager", since="0.11.0"),
    _key("disable_padded_drafter_batch", since="0.11.0"),
    _key("suffix_decoding_max_tree_depth", since="0.11.1"),
    _key("parallel_drafting", since="0.16.0"),
    _key("attention_backend", since="0.22.1"),
    Row("unknown-key", None, "0.9.0.1", f"TypeError: {_UNKNOWN}"),
    Row(
        "unknown-key",
        "0.16.0",
        None,
        f"pydantic_core._pydantic_core.ValidationError: {_FORBIDDEN}",
        _CONFIG,
        ("@config\nclass SpeculativeConfig",),
    ),
    _method("ngram", None, None, "V1"),
    _method("eagle", None, None, "V1"),
    _method("eagle3", "0.8.5", None, "V1"),
    _method("medusa", "0.9.0", "0.32.0", "V1"),
    _method("medusa", None, "0.8.5", "V0"),
    _method("deepseek_mtp", "0.9.0", None, "V1"),
    _method("mtp", "0.11.0", None, "V1"),
    _method("suffix", "0.11.1", None, "V1"),
    _method("draft_model", None, "0.9.2", "V0"),
    Row(
        "method draft_model",
        "0.10.0",
        "0.10.2",
        f"NotImplementedError: {_NOT_YET}",
        "vllm/engine/arg_utils.py",
        (_NOT_YET,),
    ),
    Row(
        "method draft_model",
        "0.11.0",
        "0.14.1",
        f"NotImplementedError: {_NOT_YET}",
        _CONFIG,
        ("Speculative decoding with draft model is not ",),
    ),
    _method("draft_model", "0.15.0", None, "V1"),
    Row("asks-for-v1", None, "0.8.5", "VLLM_USE_V1", "vllm/engine/arg_utils.py", ("_warn_or_fallback(",)),
    Row("env", None, "0.11.0", "VLLM_USE_V1", "vllm/envs.py", ('"VLLM_USE_V1"',)),
    Row("v1-refused", None, "0.10.2", f"NotImplementedError: {_NO_V1}", "vllm/engine/arg_utils.py", (_NO_V1,)),
)

ROWS = METRICS + LOG + BODY + FLAGS + SPEC
