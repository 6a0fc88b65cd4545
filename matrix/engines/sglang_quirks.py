"""What differs between SGLang 0.4.6.post5 and 0.5.23, read from the release wheels.

`since` is the first release with the row among those read. Rows of the newest span are open: an unknown newer release
is taken to be like the newest known one (`matrix.engines.registry.verified` tells the two apart).
"""

from matrix.engines.quirks import Quirk, Witness, proof
from matrix.engines.sglang_aux import AUX
from matrix.engines.sglang_rows import NEWEST, OLDEST, sglang_row
from matrix.engines.sglang_targets import TARGETS

__all__ = ["ALGORITHMS", "AUX", "COUNTERS", "FLAGS", "LIMITS", "NEWEST", "OLDEST", "PAGES", "QUIRKS", "UNSET"]

_ENDS = f"{OLDEST} {NEWEST}"
_SERVER_ARGS = "server_args.py"
_SPEC_INFO = "speculative/spec_info.py"
_HOOK = "arg_groups/speculative_hook.py"
_TOKENIZER = "managers/tokenizer_manager.py"
_PROTOCOL = "entrypoints/openai/protocol.py"
_HTTP = "entrypoints/http_server.py"
_ENVIRON = "environ.py"


def _algorithm(topic: str, since: str | None, before: str, name: str, reason: str) -> Quirk:
    """`before` is the release before the first one with the algorithm."""
    return sglang_row(
        topic, since, None, name, reason, _SPEC_INFO, proof(_SPEC_INFO, name, f"{since or OLDEST} {NEWEST}", before)
    )


def _field(topic: str, since: str, until: str | None, before: str, after: str, name: str, reason: str) -> Quirk:
    """A key of `meta_info`; `before` and `after` are the releases beside the span."""
    witnesses = proof(_TOKENIZER, f'"{name}"', f"{since} {until or NEWEST}", f"{before} {after}")
    return sglang_row(topic, since, until, name, reason, _TOKENIZER, witnesses)


def _unset(
    since: str | None, until: str | None, name: str, reason: str, witnesses: tuple[Witness, ...], file: str = _ENVIRON
) -> Quirk:
    return sglang_row("unset", since, until, name, reason, file, witnesses)


ALGORITHMS = (
    _algorithm("eagle", None, "", "EAGLE", "in every release"),
    _algorithm("eagle3", None, "", "EAGLE3", "in every release"),
    sglang_row(
        "mtp",
        None,
        None,
        "NEXTN",
        "rewritten to EAGLE over the target's own layers",
        _SERVER_ARGS,
        proof(_SERVER_ARGS, '"NEXTN"', OLDEST) + proof(_HOOK, "NEXTN", NEWEST),
    ),
    _algorithm("draft_model", "0.5.2", "0.5.1.post3", "STANDALONE", "a small language model drafts"),
    _algorithm("ngram", "0.5.3", "0.5.2", "NGRAM", "drafts are looked up in the text so far"),
    _algorithm("DFLASH", "0.5.11", "0.5.10.post1", "DFLASH", "block diffusion drafts"),
    _algorithm("FROZEN_KV_MTP", "0.5.12", "0.5.11", "FROZEN_KV_MTP", "Gemma 4 assistants"),
    _algorithm("DSPARK", "0.5.16", "0.5.15.post1", "DSPARK", "capped acceptance"),
    _algorithm("UNO", "0.5.20", "0.5.19", "UNO", "each step yields two sure tokens, not one"),
)

COUNTERS = (
    sglang_row(
        "steps",
        None,
        None,
        "spec_verify_ct",
        "in every release",
        _TOKENIZER,
        proof(_TOKENIZER, '"spec_verify_ct"', _ENDS),
    ),
    _field(
        "accepted",
        "0.5.5.post3",
        "0.5.10.post1",
        "0.5.5.post2",
        "0.5.11",
        "spec_accept_token_num",
        "drafts accepted, bonus excluded; before it no release counts them",
    ),
    _field(
        "accepted", "0.5.11", "0.5.11", "0.5.10.post1", "", "spec_accepted_drafts", "renamed; an alias from 0.5.12 on"
    ),
    _field("accepted", "0.5.12", None, "0.5.11", "", "spec_num_correct_drafts", "renamed; aliases stayed to 0.5.20"),
    _field("proposed", "0.5.5.post3", "0.5.10.post1", "0.5.5.post2", "0.5.11", "spec_draft_token_num", "root excluded"),
    _field(
        "proposed", "0.5.11", "0.5.11", "0.5.10.post1", "", "spec_proposed_drafts", "renamed; an alias from 0.5.12 on"
    ),
    _field("proposed", "0.5.12", None, "0.5.11", "", "spec_num_proposed_drafts", "renamed; aliases stayed to 0.5.20"),
    _field(
        "histogram", "0.5.9", "0.5.11", "0.5.8.post1", "", "spec_accept_histogram", "verify steps by accepted drafts"
    ),
    _field(
        "histogram",
        "0.5.12",
        None,
        "0.5.11",
        "",
        "spec_correct_drafts_histogram",
        "renamed; the alias is gone from 0.5.21 on",
    ),
    sglang_row(
        "reported",
        "0.5.3.post2",
        None,
        "spec_accept_length",
        "completion tokens over verify steps, the prefill's token included",
        11441,
        proof(_TOKENIZER, '"spec_accept_length"', f"0.5.3.post2 {NEWEST}", "0.5.3.post1"),
    ),
    sglang_row(
        "verify-metric",
        "0.5.13",
        None,
        "sglang:spec_verify_calls_total",
        "verify steps of finished requests",
        "observability/metrics_collector.py",
        proof("metrics_collector.py", '"sglang:spec_verify_calls_total"', f"0.5.13 {NEWEST}", "0.5.12.post1"),
    ),
)

PAGES = (
    sglang_row(
        "info",
        None,
        "0.5.5.post3",
        "/get_server_info",
        "the only name",
        _HTTP,
        proof(_HTTP, '"/get_server_info"', f"{OLDEST} 0.5.5.post3"),
    ),
    sglang_row(
        "info",
        "0.5.6",
        None,
        "/server_info",
        "the old name warns",
        _HTTP,
        proof(_HTTP, '"/server_info"', f"0.5.6 {NEWEST}", "0.5.5.post3"),
    ),
    sglang_row(
        "images",
        None,
        "0.5.12.post1",
        "native",
        "the chat endpoint tells no counters",
        _PROTOCOL,
        proof("managers/io_struct.py", "image_data", f"{OLDEST} 0.5.12.post1"),
    ),
    sglang_row(
        "images",
        "0.5.13",
        None,
        "chat",
        "return_meta_info tells them",
        _PROTOCOL,
        proof(_PROTOCOL, "return_meta_info", f"0.5.13 {NEWEST}", "0.5.12.post1"),
    ),
)

FLAGS = (
    sglang_row(
        "--cuda-graph-max-bs",
        "0.5.20",
        None,
        "--cuda-graph-max-bs-decode",
        "renamed; the old name is then an ambiguous abbreviation (exit status 2)",
        "arg_groups/fields/exec_.py",
        proof("fields/exec_.py", "cuda_graph_max_bs_decode", f"0.5.20 {NEWEST}")
        + proof(_SERVER_ARGS, '"--cuda-graph-max-bs"', "0.5.19", "0.5.20"),
    ),
)

LIMITS = tuple(
    sglang_row(
        f"no-dp-attention {topic}",
        since,
        None,
        "AssertionError",
        f"{word} speculative decoding does not support dp attention",
        _SERVER_ARGS,
        proof(_SERVER_ARGS, f"Currently {word} speculative decoding does not support dp attention", since)
        + proof(_HOOK, f"Currently {word} speculative decoding does not support dp attention", NEWEST),
    )
    for topic, since, word in (("draft_model", "0.5.2", "standalone"), ("ngram", "0.5.3", "ngram"))
)

_FAKES = "fakes acceptance"
UNSET = (
    _unset(
        None,
        "0.5.2",
        "SIMULATE_ACC_LEN",
        _FAKES,
        proof("speculative/eagle_utils.py", '"SIMULATE_ACC_LEN"', f"{OLDEST} 0.5.2", "0.5.3"),
        "speculative/eagle_utils.py",
    ),
    _unset(
        "0.5.3",
        None,
        "SGLANG_SIMULATE_ACC_LEN",
        _FAKES,
        proof(_ENVIRON, "SGLANG_SIMULATE_ACC_LEN", f"0.5.3 {NEWEST}", "0.5.2"),
    ),
    _unset(
        "0.5.3",
        None,
        "SGLANG_SIMULATE_ACC_METHOD",
        _FAKES,
        proof(_ENVIRON, "SGLANG_SIMULATE_ACC_METHOD", f"0.5.3 {NEWEST}", "0.5.2"),
    ),
    _unset(
        "0.5.15",
        None,
        "SGLANG_SIMULATE_ACC_TOKEN_MODE",
        _FAKES,
        proof(_ENVIRON, "SGLANG_SIMULATE_ACC_TOKEN_MODE", f"0.5.15.post1 {NEWEST}", "0.5.14"),
    ),
    _unset(
        "0.5.4.post1",
        "0.5.13.post1",
        "SGLANG_ENABLE_SPEC_V2",
        "chooses another worker",
        proof(_ENVIRON, "SGLANG_ENABLE_SPEC_V2", "0.5.4.post1 0.5.13", "0.5.4 0.5.14"),
    ),
    _unset(
        "0.5.17",
        None,
        "SGLANG_RUST_SERVER",
        "chooses another HTTP frontend",
        proof(_ENVIRON, "SGLANG_RUST_SERVER", f"0.5.17 {NEWEST}", "0.5.16"),
    ),
    _unset(
        None,
        None,
        "SGLANG_LOGGING_CONFIG_PATH",
        "replaces the log's format",
        proof("srt/utils.py", "SGLANG_LOGGING_CONFIG_PATH", OLDEST)
        + proof("utils/common.py", "SGLANG_LOGGING_CONFIG_PATH", NEWEST),
        "utils/common.py",
    ),
    _unset(
        "0.5.4.post1",
        None,
        "SGLANG_LOG_FORWARD_ITERS",
        "changes the log's lines",
        proof(_ENVIRON, "SGLANG_LOG_FORWARD_ITERS", f"0.5.4.post1 {NEWEST}", "0.5.4"),
    ),
)

QUIRKS = ALGORITHMS + COUNTERS + PAGES + FLAGS + LIMITS + UNSET + TARGETS + AUX
