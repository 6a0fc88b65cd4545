"""Each row of the quirks tables at both ends of its span, and what is done between and beyond the rows."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from matrix.engines import sglang_quirks, vllm_quirks
from matrix.engines.quirks import Quirk, find, first, markdown, proof, releases, span, unverified, what, within
from matrix.engines.registry import span_of, verified
from tests.engines.spans import SGLANG, VLLM

TABLES = {"vllm": (vllm_quirks, VLLM), "sglang": (sglang_quirks, SGLANG)}
LINES = [
    (engine, *(w.strip() for w in line.split("|")))
    for engine, (_, text) in TABLES.items()
    for line in text.splitlines()
]


def rows_of(engine: str, group: str) -> Sequence[Quirk]:
    rows: Sequence[Quirk] = getattr(TABLES[engine][0], group)
    return rows


@pytest.mark.parametrize(("engine", "group", "topic", "before", "start", "end", "after", "value"), LINES)
def test_a_row_holds_in_its_span_and_not_beside_it(
    engine: str, group: str, topic: str, before: str, start: str, end: str, after: str, value: str
) -> None:
    value = "" if value == "-" else value
    rows = [row for row in rows_of(engine, group) if topic != "unset" or row.what == value]
    assert what(rows, topic, start) == what(rows, topic, end) == value
    assert find(rows, topic, start) is find(rows, topic, end) is not None
    for outside in {before, after} - {"-"}:
        beside = find(rows, topic, outside)
        assert beside is None or beside.what != value


@pytest.mark.parametrize("engine", TABLES)
def test_every_row_is_tested_has_a_reason_and_a_link(engine: str) -> None:
    module = TABLES[engine][0]
    tested = sorted(
        (topic, start, "" if value == "-" else value) for e, _, topic, _, start, _, _, value in LINES if e == engine
    )
    oldest = span_of(engine)[0]
    assert sorted((row.topic, row.since or oldest, row.what) for row in module.QUIRKS) == tested
    assert all(row.reason and row.link.startswith("https://github.com/") for row in module.QUIRKS)


@pytest.mark.parametrize("engine", TABLES)
def test_rows_of_one_topic_never_overlap(engine: str) -> None:
    oldest, newest = span_of(engine)
    for group in {line[1] for line in LINES if line[0] == engine} - {"UNSET"}:
        rows = rows_of(engine, group)
        for row in rows:
            for version in (row.since or oldest, row.until or newest):
                assert [r for r in rows if r.topic == row.topic and r.holds(version)] == [row]


@pytest.mark.parametrize("engine", TABLES)
def test_every_boundary_has_a_witness(engine: str) -> None:
    """A row that begins or ends is proved by a release that has it; the sparse releases beside it are told too."""
    rows = TABLES[engine][0].QUIRKS
    assert unverified(rows) == ()
    for row in rows:
        assert any(not w.absent for w in row.witnesses), row


@pytest.mark.parametrize("engine", TABLES)
def test_the_documented_rows_are_the_codes(engine: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
    told = text.partition(f"<!-- quirks {engine} -->\n")[2].partition(f"<!-- /quirks {engine} -->\n")[0]
    assert told == markdown(TABLES[engine][0].QUIRKS)


def test_a_row_without_witness_is_unverified() -> None:
    bare = Quirk("x", None, None, "y", "told", "https://github.com/")
    seen = Quirk("x", None, None, "y", "read", "https://github.com/", proof("a.py", "y", "1.0", "0.9"))
    assert unverified([bare, seen]) == (bare,)
    assert markdown([bare]).endswith("| `y` | [told](https://github.com/) | unverified |\n")
    assert markdown([seen]).endswith("| 2 wheels |\n")
    assert [(w.version, w.absent) for w in seen.witnesses] == [("1.0", False), ("0.9", True)]


@pytest.mark.parametrize(
    ("engine", "version", "expected"),
    [
        ("vllm", "0.8.4", False),
        ("vllm", "0.8.5", True),
        ("vllm", "0.28.1rc1.dev380+g25268f0c9", True),
        ("vllm", "0.33.0+4.gabcdef012", True),
        ("vllm", "0.33.1", False),
        ("sglang", "0.4.6", False),
        ("sglang", "0.5.23", True),
        ("sglang", "0.5.24", False),
        ("sglang", "unknown", False),
    ],
)
def test_rules_outside_the_releases_that_were_read_are_marked(engine: str, version: str, expected: bool) -> None:
    assert verified(engine, version) is expected


def test_newer_releases_follow_the_newest_rules() -> None:
    assert what(sglang_quirks.COUNTERS, "histogram", "0.7.0") == "spec_correct_drafts_histogram"
    assert what(vllm_quirks.METHODS, "draft_model", "0.40.0") == "draft_model"
    assert what(vllm_quirks.METHODS, "medusa", "0.40.0") == ""


TWO = (
    Quirk("x", None, "1.1", "old", "r", "l"),
    Quirk("x", "1.2", None, "new", "r", "l"),
    Quirk("gone", None, "1.1", "old", "r", "l"),
)


@pytest.mark.parametrize(
    ("topic", "version", "value"),
    [
        ("x", "1.1+12.gabcdef012", "old"),
        ("x", "1.2.dev20260510+gabc", "old"),
        ("x", "1.2rc1", ""),
        ("x", "1.2", "new"),
        ("x", "1.3.dev1", "new"),
        ("gone", "1.1+1.gabcdef012", "old"),
        ("gone", "1.2.dev1", ""),
    ],
)
def test_commits_and_nightlies_follow_the_release_before_them(topic: str, version: str, value: str) -> None:
    assert what(TWO, topic, version) == value


def test_spans_in_words() -> None:
    assert releases(vllm_quirks.METHODS, "draft_model") == "up to 0.9.2 and from 0.15.0 on"
    assert [span(row) for row in TWO[:2]] == ["up to 1.1", "from 1.2 on"]
    assert span(Quirk("x", "1", "1", "", "", "")) == "in 1" and span(Quirk("x", "1", "2", "", "", "")) == "from 1 to 2"
    assert span(Quirk("x", None, None, "", "", "")) == "in every release"


def test_what_no_row_names_is_nothing() -> None:
    assert find(sglang_quirks.COUNTERS, "accepted", "0.5.3") is None
    assert first(sglang_quirks.ALGORITHMS, "nonsense") is None
    assert first(vllm_quirks.METHODS, "draft_model") == "0.15.0" and not releases(vllm_quirks.METHODS, "nonsense")
    assert within("1.5", "1.0", "2.0") and not within("commit", "1.0", "2.0")
