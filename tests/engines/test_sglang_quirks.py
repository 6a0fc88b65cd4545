"""Each row of SGLang's table at both ends of its span."""

import pytest

from matrix.engines.quirks import Quirk, find, first, what
from matrix.engines.sglang_quirks import ALGORITHMS, COUNTERS, FLAGS, NEWEST, OLDEST, PAGES, QUIRKS, UNSET, verified

OLD, NEW = "0.4.6.post5", "0.5.23"
NEVER = ""

# topic, what it is in the release before the span, the first and last release of the span, what it is there and after it
SPANS = [
    (ALGORITHMS, "eagle", None, OLD, NEW, "EAGLE", None),
    (ALGORITHMS, "eagle3", None, OLD, NEW, "EAGLE3", None),
    (ALGORITHMS, "mtp", None, OLD, NEW, "NEXTN", None),
    (ALGORITHMS, "draft_model", "0.5.1", "0.5.2", NEW, "STANDALONE", None),
    (ALGORITHMS, "ngram", "0.5.2", "0.5.3", NEW, "NGRAM", None),
    (ALGORITHMS, "DFLASH", "0.5.10.post1", "0.5.11", NEW, "DFLASH", None),
    (ALGORITHMS, "FROZEN_KV_MTP", "0.5.11", "0.5.12", NEW, "FROZEN_KV_MTP", None),
    (ALGORITHMS, "DSPARK", "0.5.15.post1", "0.5.18", NEW, "DSPARK", None),
    (ALGORITHMS, "UNO", "0.5.18", "0.5.20", NEW, "UNO", None),
    (COUNTERS, "steps", None, OLD, NEW, "spec_verify_ct", None),
    (
        COUNTERS,
        "accepted",
        "0.5.5.post2",
        "0.5.5.post3",
        "0.5.10.post1",
        "spec_accept_token_num",
        "spec_accepted_drafts",
    ),
    (COUNTERS, "accepted", "0.5.10", "0.5.11", "0.5.11", "spec_accepted_drafts", "spec_num_correct_drafts"),
    (COUNTERS, "accepted", "0.5.11", "0.5.12", NEW, "spec_num_correct_drafts", None),
    (
        COUNTERS,
        "proposed",
        "0.5.5.post2",
        "0.5.5.post3",
        "0.5.10.post1",
        "spec_draft_token_num",
        "spec_proposed_drafts",
    ),
    (COUNTERS, "proposed", "0.5.10", "0.5.11", "0.5.11", "spec_proposed_drafts", "spec_num_proposed_drafts"),
    (COUNTERS, "proposed", "0.5.11", "0.5.12", NEW, "spec_num_proposed_drafts", None),
    (COUNTERS, "histogram", "0.5.8.post1", "0.5.9", "0.5.11", "spec_accept_histogram", "spec_correct_drafts_histogram"),
    (COUNTERS, "histogram", "0.5.11", "0.5.12", NEW, "spec_correct_drafts_histogram", None),
    (COUNTERS, "reported", "0.5.3.post1", "0.5.3.post3", NEW, "spec_accept_length", None),
    (COUNTERS, "verify-metric", "0.5.12.post1", "0.5.13", NEW, "sglang:spec_verify_calls_total", None),
    (PAGES, "info", None, OLD, "0.5.5.post3", "/get_server_info", "/server_info"),
    (PAGES, "info", "0.5.5.post3", "0.5.6", NEW, "/server_info", None),
    (FLAGS, "--cuda-graph-max-bs", "0.5.18", "0.5.20", NEW, "--cuda-graph-max-bs-decode", None),
    (FLAGS, "--speculative-draft", "0.5.1", "0.5.2", NEW, "--speculative-draft-model-path", None),
    (FLAGS, "--speculative-draft-model", None, OLD, "0.5.1", "--speculative-draft-model-path", NEVER),
]
NEXT = {"0.5.10.post1": "0.5.11", "0.5.11": "0.5.12", "0.5.5.post3": "0.5.6", "0.5.1": "0.5.2"}
NAMES = {"SIMULATE_ACC_LEN": (OLD, "0.5.2"), "SGLANG_SIMULATE_ACC_LEN": ("0.5.3", NEW)}
NAMES |= {"SGLANG_SIMULATE_ACC_METHOD": ("0.5.3", NEW), "SGLANG_SIMULATE_ACC_TOKEN_MODE": ("0.5.3", NEW)}
NAMES |= {"SGLANG_ENABLE_SPEC_V2": ("0.5.4.post3", "0.5.13"), "SGLANG_RUST_SERVER": ("0.5.18", NEW)}
NAMES |= {"SGLANG_LOGGING_CONFIG_PATH": (OLD, NEW), "SGLANG_LOG_FORWARD_ITERS": ("0.5.4.post3", NEW)}


@pytest.mark.parametrize(("rows", "topic", "before", "start", "end", "value", "after"), SPANS)
def test_a_row_holds_in_its_span_and_not_beside_it(
    rows: tuple[Quirk, ...], topic: str, before: str | None, start: str, end: str, value: str, after: str | None
) -> None:
    assert what(rows, topic, start) == what(rows, topic, end) == value
    if before is not None:
        assert what(rows, topic, before) != value
    if after is not None:
        assert what(rows, topic, NEXT[end]) == after


@pytest.mark.parametrize("name", NAMES)
def test_variables_that_falsify_are_listed_with_their_span(name: str) -> None:
    (row,) = [row for row in UNSET if row.what == name]
    start, end = NAMES[name]
    assert row.holds(start) and row.holds(end)
    assert row.holds("0.5.24") is (end == NEW) and row.holds("0.4.5") is (start == OLD)


def test_every_row_is_tested_has_a_reason_and_a_link() -> None:
    tested = {(topic, value) for _, topic, _, _, _, value, _ in SPANS} | {("unset", name) for name in NAMES}
    assert {(row.topic, row.what) for row in QUIRKS} == tested
    assert all(row.reason and row.link.startswith("https://github.com/sgl-project/sglang/") for row in QUIRKS)


def test_rows_of_one_topic_never_overlap() -> None:
    for row in ALGORITHMS + COUNTERS + PAGES + FLAGS:
        for version in (row.since or OLDEST, row.until or NEWEST):
            held = [r for r in QUIRKS if r.topic == row.topic and r.holds(version)]
            assert len(held) == 1


def test_newer_releases_follow_the_newest_rules_and_are_marked() -> None:
    assert what(COUNTERS, "histogram", "0.7.0") == what(COUNTERS, "histogram", NEWEST)
    assert [verified(v) for v in ("0.4.6", OLDEST, "0.5.9", NEWEST, "0.5.24")] == [False, True, True, True, False]


def test_what_no_row_names_is_nothing() -> None:
    assert find(COUNTERS, "accepted", "0.5.3") is None and what(COUNTERS, "accepted", "0.5.3") == ""
    assert first(ALGORITHMS, "nonsense") is None and first(ALGORITHMS, "ngram") == "0.5.3"
