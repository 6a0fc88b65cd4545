"""What SGLang 0.4.6.post5 to 0.5.23 say in answers, metrics and the log, and to their command line: see `rows`."""

from tests.fakes.rows import Row

RELEASES = ["0.4.6.post5", "0.4.8", "0.4.10.post2", "0.5.1", "0.5.2", "0.5.3", "0.5.3.post1", "0.5.3.post3", "0.5.4"]
RELEASES += ["0.5.4.post3", "0.5.5", "0.5.5.post2", "0.5.5.post3", "0.5.6", "0.5.7", "0.5.8", "0.5.9", "0.5.10"]
RELEASES += ["0.5.11", "0.5.12", "0.5.13", "0.5.15.post1", "0.5.18", "0.5.20", "0.5.22", "0.5.23"]

_TOKENIZER = "sglang/srt/managers/tokenizer_manager.py"
_ARGS = "sglang/srt/server_args.py|sglang/srt/arg_groups/*"
_HTTP = "sglang/srt/entrypoints/engine.py|sglang/srt/entrypoints/http_server.py"
_COLLECTOR = "sglang/srt/metrics/collector.py|sglang/srt/observability/metrics_collector.py"
_LOG = "sglang/srt/managers/scheduler.py|sglang/srt/managers/scheduler_metrics_mixin.py"
_LOG += (
    "|sglang/srt/observability/scheduler_metrics_mixin.py|sglang/srt/managers/scheduler_components/metrics_reporter.py"
)
_ALGORITHMS = f"{_ARGS}|sglang/srt/speculative/spec_info.py"


def _meta(topic: str, name: str, since: str | None = None, until: str | None = None) -> Row:
    return Row(f"meta-{topic}", since, until, name, _TOKENIZER, (f'meta_info["{name}"]', f'"{name}": recv_obj.'))


META = (
    _meta("steps", "spec_verify_ct"),
    _meta("rate", "spec_accept_rate", "0.5.3.post3"),
    _meta("mean", "spec_accept_length", "0.5.3.post3"),
    _meta("accepted", "spec_accept_token_num", "0.5.5.post3", "0.5.10.post1"),
    _meta("proposed", "spec_draft_token_num", "0.5.5.post3", "0.5.10.post1"),
    _meta("accepted", "spec_accepted_drafts", "0.5.11", "0.5.20"),
    _meta("proposed", "spec_proposed_drafts", "0.5.11", "0.5.20"),
    _meta("accepted", "spec_num_correct_drafts", "0.5.12"),
    _meta("proposed", "spec_num_proposed_drafts", "0.5.12"),
    _meta("histogram", "spec_accept_histogram", "0.5.9", "0.5.20"),
    _meta("histogram", "spec_correct_drafts_histogram", "0.5.12"),
    Row("chat-meta", "0.5.13", None, "return_meta_info", "sglang/srt/entrypoints/openai/protocol.py"),
)

METRICS = (
    Row("tokens", None, None, "sglang:generation_tokens_total", _COLLECTOR),
    Row("gauge", None, None, "sglang:spec_accept_length", _COLLECTOR),
    Row("verify", "0.5.13", None, "sglang:spec_verify_calls_total", _COLLECTOR),
)

PAGES = (
    Row("info", None, None, "/get_server_info", _HTTP),
    Row("info", "0.5.6", None, "/server_info", _HTTP),
)

_RATE = "accept len: {spec_accept_length:.2f}, accept rate: {spec_accept_rate:.2f}, "
_ADJUSTED = "speculative_num_draft_tokens is adjusted to speculative_num_steps + 1 when speculative_eagle_topk == 1"
LOG = (
    Row("head", None, "0.5.3.post3", "Decode batch. #running-req: {}, ", _LOG, ("Decode batch. #running-req: {num_",)),
    Row(
        "head", "0.5.4", "0.5.4", "Decode batch [7], #running-req: {}, ", _LOG, ("Decode batch [{self.forward_ct}], ",)
    ),
    Row("head", "0.5.4.post3", None, "Decode batch, #running-req: {}, ", _LOG, ("Decode batch{iter_msg}, ",)),
    Row("length", None, "0.5.3.post1", "accept len: {:.2f}, ", _LOG, ("accept len: {spec_accept_length:.2f}, ",)),
    Row("length", "0.5.3.post3", None, "accept len: {:.2f}, accept rate: {:.2f}, ", _LOG, (_RATE,)),
    Row("prefills-counted", None, "0.5.3.post1", "1"),
    Row("settings", None, "0.5.18", "server_args=ServerArgs({})", _HTTP, ("{server_args=}",)),
    Row("settings", "0.5.20", None, "server_args={{{}}}", _HTTP, ("server_args={",)),
    Row("adjusted", None, None, _ADJUSTED, _ARGS),
    Row("ready", None, None, "The server is fired up and ready to roll!", _HTTP),
)


def _algorithm(name: str, since: str | None = None) -> Row:
    return Row("algorithm", since, None, name, _ALGORITHMS, (f'"{name}"', f"{name} = auto()"))


def _flag(name: str, since: str | None = None, until: str | None = None) -> Row:
    """A flag is written out, or derived from a field of a dataclass."""
    field = name.replace("-", "_")
    return Row("flag", since, until, f"--{name}", _ARGS, (f'"--{name}"', f"\n    {field}: A["))


FLAGS = (
    *map(
        _flag,
        (
            "model-path",
            "served-model-name",
            "host",
            "port",
            "random-seed",
            "decode-log-interval",
            "disable-radix-cache",
            "enable-metrics",
            "context-length",
            "tp-size",
            "pp-size",
            "dp-size",
            "dtype",
            "attention-backend",
            "mem-fraction-static",
            "disable-cuda-graph",
            "disable-overlap-schedule",
            "enable-multimodal",
            "page-size",
            "max-running-requests",
            "chunked-prefill-size",
            "trust-remote-code",
            "api-key",
            "speculative-algorithm",
            "speculative-draft-model-path",
            "speculative-num-steps",
            "speculative-eagle-topk",
            "speculative-num-draft-tokens",
            "speculative-token-map",
        ),
    ),
    _flag("speculative-draft-model-revision", "0.5.2"),
    _flag("cuda-graph-max-bs", None, "0.5.18"),
    _flag("cuda-graph-max-bs-decode", "0.5.15"),
    _flag("cuda-graph-max-bs-prefill", "0.5.15"),
    _flag("skip-server-warmup", "0.4.10"),
)

ALGORITHMS = (
    _algorithm("EAGLE"),
    _algorithm("EAGLE3"),
    _algorithm("NEXTN"),
    _algorithm("STANDALONE", "0.5.2"),
    _algorithm("NGRAM", "0.5.3"),
    _algorithm("DFLASH", "0.5.11"),
    _algorithm("FROZEN_KV_MTP", "0.5.12"),
    _algorithm("DSPARK", "0.5.18"),
    _algorithm("UNO", "0.5.20"),
)

ROWS = META + METRICS + PAGES + LOG + FLAGS + ALGORITHMS
