"""Reports are stored once, whole and clean; evidence is the newest run of each place with what the judge says."""

from dataclasses import replace

from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.spec import BASELINE
from matrix.core.state import Metric, State, Verdict
from matrix.store import Store
from tests.store.build import HEAD, TARGET, cell, run, sample

WHOLE = Report(
    "org/model", "sglang", State.HEALTHY, "https://example.org", "2026-01-02", "org/head", "eagle3", ">=0.5.3,<0.5.5",
    "H100", 2.195, Bonus.YES, 3, 1, 4, "MMStar", 147.3, 1.5, "fine",
)  # fmt: skip


def test_a_report_comes_back_as_it_was_and_only_once(store: Store) -> None:
    bare = Report("org/model", "vllm", State.UNKNOWN, "l", "unknown")
    assert store.reports.add([WHOLE, bare], 1.0) == 2
    assert store.reports.add([bare, WHOLE, replace(WHOLE, k=8)], 2.0) == 1
    assert [report for _, report in store.reports.of(["org/model"])] == [WHOLE, bare, replace(WHOLE, k=8)]
    assert next(key for key, _ in store.reports.of(["org/model"])) == WHOLE.key
    assert store.reports.targets() == ["org/model"] and store.reports.of(["other"]) == []


def test_hostile_text_is_cleaned_and_cut(store: Store) -> None:
    store.reports.add([replace(WHOLE, text="\x1b[31mred\x1b[0m " + "x" * 10_000_000, draft="a\x00b")], 1.0)
    ((_, found),) = store.reports.of(["org/model"])
    assert "\x1b" not in found.text and len(found.text) < 2100 and "\x00" not in found.draft


def test_evidence_is_the_newest_run_with_its_verdict(store: Store) -> None:
    old, new = cell("0.27.1"), cell("0.28.0")
    for run_id, of, at in (("a", old, 1.0), ("b", old, 2.0), ("c", new, 3.0)):
        store.runs.save(run(run_id, of, sample(), at=at))
    store.runs.save(run("base", cell("0.28.0", BASELINE), sample(), at=4.0))
    said = Verdict(Metric.ACCEPT_LENGTH, State.COLLAPSED, "low", (("noise", 0.02),))
    store.series.save_verdicts(old.series_key, {"b": [said]})
    found = {m.run_id: m for m in store.evidence.near(store.evidence.tested([TARGET.name]), lambda tested: ())}
    assert set(found) == {"b", "c"}
    assert (found["b"].state, found["b"].noise) == ("collapsed", 0.02)
    assert (found["c"].state, found["c"].noise) == ("unknown", None)
    assert (found["b"].about.target_content, found["b"].about.draft_content) == (TARGET.content, HEAD.content)


def test_targets_are_named_once_and_found_by_their_content(store: Store) -> None:
    other = replace(TARGET, content="e" * 64)
    for number, target in enumerate((TARGET, TARGET, other, replace(TARGET, name="aaa"))):
        store.runs.save(run(f"r{number}", replace(cell(), target=target), sample(), at=float(number)))
    assert store.evidence.targets() == ["aaa", TARGET.name]
    assert store.evidence.with_content("a" * 8) == ["aaa", TARGET.name]
    assert store.evidence.with_content("e" * 64) == [TARGET.name] and store.evidence.with_content("%") == []


def test_a_runs_cell_comes_back(store: Store) -> None:
    store.runs.save(run("r", cell(), sample()))
    assert store.runs.cell("r") == cell() and store.runs.cell("none") is None
