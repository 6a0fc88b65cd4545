"""What differs between SGLang 0.4.6.post5 and 0.5.23, read from the release wheels.

`since` is the first release with the row among those read. Rows of the newest span are open: an unknown newer release
is taken to be like the newest known one (`verified` tells the two apart).
"""

from packaging.version import Version

from matrix.engines.quirks import Quirk

OLDEST, NEWEST = "0.4.6.post5", "0.5.23"
_SOURCE = "https://github.com/sgl-project/sglang/blob/v{}/python/sglang/srt/{}"
_PULL = "https://github.com/sgl-project/sglang/pull/{}"
_SERVER_ARGS = "server_args.py"
_TOKENIZER = "managers/tokenizer_manager.py"


def verified(version: str) -> bool:
    """True for releases inside the span that these rows were read from."""
    return Version(OLDEST) <= Version(version) <= Version(NEWEST)


def _row(
    topic: str, since: str | None, until: str | None, what: str, reason: str, file: str = "", pull: int = 0
) -> Quirk:
    link = _PULL.format(pull) if pull else _SOURCE.format(since or OLDEST, file)
    return Quirk(topic, since, until, what, reason, link)


ALGORITHMS = (
    _row("eagle", None, None, "EAGLE", "argparse choice in every release", _SERVER_ARGS),
    _row("eagle3", None, None, "EAGLE3", "argparse choice in every release", _SERVER_ARGS),
    _row("mtp", None, None, "NEXTN", "rewritten to EAGLE over the target's own layers", _SERVER_ARGS),
    _row("draft_model", "0.5.2", None, "STANDALONE", "a small language model drafts", _SERVER_ARGS),
    _row("ngram", "0.5.3", None, "NGRAM", "drafts are looked up in the text so far", _SERVER_ARGS),
    _row("DFLASH", "0.5.11", None, "DFLASH", "block diffusion drafts", _SERVER_ARGS),
    _row("FROZEN_KV_MTP", "0.5.12", None, "FROZEN_KV_MTP", "Gemma 4 assistants", _SERVER_ARGS),
    _row("DSPARK", "0.5.18", None, "DSPARK", "capped acceptance", _SERVER_ARGS),
    _row("UNO", "0.5.20", None, "UNO", "each step yields two sure tokens, not one", "speculative/uno_worker_v2.py"),
)

COUNTERS = (
    _row("steps", None, None, "spec_verify_ct", "in every release", _TOKENIZER),
    _row(
        "accepted",
        "0.5.5.post3",
        "0.5.10.post1",
        "spec_accept_token_num",
        "drafts accepted, bonus excluded; before it no release counts them",
        _TOKENIZER,
    ),
    _row("accepted", "0.5.11", "0.5.11", "spec_accepted_drafts", "renamed without an alias", _TOKENIZER),
    _row("accepted", "0.5.12", None, "spec_num_correct_drafts", "renamed; aliases stayed to 0.5.20", _TOKENIZER),
    _row("proposed", "0.5.5.post3", "0.5.10.post1", "spec_draft_token_num", "root excluded", _TOKENIZER),
    _row("proposed", "0.5.11", "0.5.11", "spec_proposed_drafts", "renamed without an alias", _TOKENIZER),
    _row("proposed", "0.5.12", None, "spec_num_proposed_drafts", "renamed; aliases stayed to 0.5.20", _TOKENIZER),
    _row("histogram", "0.5.9", "0.5.11", "spec_accept_histogram", "verify steps by accepted drafts", _TOKENIZER),
    _row(
        "histogram",
        "0.5.12",
        None,
        "spec_correct_drafts_histogram",
        "renamed; the alias is gone from 0.5.22 on",
        _TOKENIZER,
    ),
    _row(
        "reported",
        "0.5.3.post3",
        None,
        "spec_accept_length",
        "completion tokens over verify steps, the prefill's token included",
        _TOKENIZER,
        11441,
    ),
    _row(
        "verify-metric",
        "0.5.13",
        None,
        "sglang:spec_verify_calls_total",
        "verify steps of finished requests",
        "managers/scheduler_components/metrics_reporter.py",
    ),
)

PAGES = (
    _row("info", None, "0.5.5.post3", "/get_server_info", "the only name", "entrypoints/http_server.py"),
    _row("info", "0.5.6", None, "/server_info", "the old name warns", "entrypoints/http_server.py"),
    _row("images", None, "0.5.12", "native", "the chat endpoint tells no counters", "entrypoints/openai/protocol.py"),
    _row("images", "0.5.13", None, "chat", "return_meta_info tells them", "entrypoints/openai/protocol.py"),
)

FLAGS = (
    _row(
        "--cuda-graph-max-bs",
        "0.5.20",
        None,
        "--cuda-graph-max-bs-decode",
        "renamed; the old name is then an ambiguous abbreviation (exit status 2)",
        _SERVER_ARGS,
    ),
    _row(
        "--speculative-draft",
        "0.5.2",
        None,
        "--speculative-draft-model-path",
        "the abbreviation became ambiguous (exit status 2)",
        _SERVER_ARGS,
    ),
    _row(
        "--speculative-draft-model",
        None,
        "0.5.1",
        "--speculative-draft-model-path",
        "the short name is a flag of its own from 0.5.2 on",
        _SERVER_ARGS,
    ),
)

UNSET = (
    _row("unset", None, "0.5.2", "SIMULATE_ACC_LEN", "fakes acceptance", "speculative/eagle_utils.py"),
    _row("unset", "0.5.3", None, "SGLANG_SIMULATE_ACC_LEN", "fakes acceptance", "environ.py"),
    _row("unset", "0.5.3", None, "SGLANG_SIMULATE_ACC_METHOD", "fakes acceptance", "environ.py"),
    _row("unset", "0.5.3", None, "SGLANG_SIMULATE_ACC_TOKEN_MODE", "fakes acceptance", "environ.py"),
    _row("unset", "0.5.4.post3", "0.5.13", "SGLANG_ENABLE_SPEC_V2", "chooses another worker", "environ.py"),
    _row("unset", "0.5.18", None, "SGLANG_RUST_SERVER", "chooses another HTTP frontend", "environ.py"),
    _row("unset", None, None, "SGLANG_LOGGING_CONFIG_PATH", "replaces the log's format", "utils/common.py"),
    _row("unset", "0.5.4.post3", None, "SGLANG_LOG_FORWARD_ITERS", "changes the log's lines", "environ.py"),
)

QUIRKS = ALGORITHMS + COUNTERS + PAGES + FLAGS + UNSET
