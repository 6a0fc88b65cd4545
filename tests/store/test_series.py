"""What the judge reads, and what becomes of what it says."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters
from matrix.core.errors import NotFoundError
from matrix.core.outcome import Outcome
from matrix.core.result import Divergence
from matrix.core.state import Change, Flip, Metric, State, Verdict
from matrix.store import Store
from tests.store.build import EAGLE, NGRAM, baseline_run, cell, run, sample

SERIES = cell().series_key
BROKE = Flip(Metric.ACCEPT_LENGTH, Change.REGRESSION, "1.0", "2.0", State.HEALTHY, State.BROKEN, "it fell", "r1", "r2")


def test_points_pool_repetitions_and_stand_beside_the_baselines_prompts(store: Store) -> None:
    base = [sample("code-1", steps=0, accepted=0, tokens=32, seconds=s, repetition=i) for i, s in enumerate((1.0, 3.0))]
    store.runs.save(baseline_run("b", "1.0", *base))
    first = sample(accepted=20, tokens=31, seconds=1.0, flags=("repeats",), divergence=Divergence(4, 0.5, True))
    second = sample(accepted=16, tokens=31, seconds=2.0, flags=("repeats", "short"), repetition=1)
    many = sample("chat-1", accepted=10, concurrency=4)
    store.runs.save(run("r", cell("1.0"), first, second, many, reason="fine"))
    (point,) = store.series.points(SERIES)
    code, chat = point.prompts
    assert code.counters == Counters(20, 60, 36, (20, 16, 0), 20, 62, requests=2)
    assert (code.tok_s, code.baseline_tok_s) == ((31.0, 15.5), 64 / 4)
    assert (code.flags, code.gaps) == (("repeats", "short"), ((0.5, True),))
    assert (chat.prompt_id, chat.kind, chat.tok_s, chat.baseline_tok_s) == ("chat-1", "chat", (), None)
    assert (point.run_id, point.revision, point.boot, point.outcome) == ("r", "1.0", 0, Outcome.OK)
    assert (point.k, point.draftless, point.reason, point.artifact_digest) == (3, False, "fine", "c" * 64)
    assert (point.resolved, point.noise, point.baseline_noise) == (
        {"k": 3, "backend": "cpu"},
        {"speed": 0.02},
        {"speed": 0.02},
    )
    assert (point.baseline_run, point.evidence) == ("b", "measured")
    assert point.lock_ref is not None


def test_points_come_in_the_order_of_releases_one_for_each_boot(store: Store) -> None:
    for version in ("0.10.0", "nightly-a", "0.9.2", "0.10.0rc1", "0.10.0.post1"):
        store.runs.save(run(f"r{version}", cell(version), sample()))
    store.runs.save(run("boot1", cell("0.9.2", boot=1), sample()))
    found = [(point.revision, point.boot) for point in store.series.points(SERIES)]
    assert found == [
        *(("0.9.2", 0), ("0.9.2", 1), ("0.10.0rc1", 0), ("0.10.0", 0), ("0.10.0.post1", 0), ("nightly-a", 0))
    ]


def test_the_newest_run_counts_and_an_infra_failure_hides_no_measured_run(store: Store) -> None:
    store.runs.save(run("old", cell("1.0"), sample(), at=100.0))
    store.runs.save(run("new", cell("1.0"), outcome=Outcome.SERVE_CRASH, at=200.0))
    store.runs.save(run("infra", cell("1.0"), outcome=Outcome.INFRA, at=300.0))
    store.runs.save(run("only", cell("2.0"), outcome=Outcome.INFRA, at=300.0))
    assert [(p.run_id, p.outcome.value) for p in store.series.points(SERIES)] == [
        ("new", "serve-crash"),
        ("only", "infra"),
    ]


def test_series_keys(store: Store) -> None:
    store.runs.save(run("a", cell("1.0"), sample()))
    store.runs.save(run("b", cell("2.0"), sample()))
    store.runs.save(run("n", cell("1.0", NGRAM), sample()))
    assert store.series.keys() == sorted([SERIES, cell(spec=NGRAM).series_key])
    assert store.series.points("none") == []
    (point,) = store.series.points(cell(spec=NGRAM).series_key)
    assert point.draftless


def test_verdicts_are_replaced_as_a_whole(store: Store) -> None:
    two_runs(store)
    said = {
        "r1": [
            Verdict(Metric.SPEED, State.UNKNOWN, "no noise floor", (("noise", None),)),
            Verdict(Metric.ACCEPT_LENGTH, State.HEALTHY, "2.50", (("after", 2.5), ("pairs", 2), ("low", float("nan")))),
        ],
        "r2": [Verdict(Metric.ACCEPT_LENGTH, State.BROKEN, "load crash")],
    }
    store.series.save_verdicts(SERIES, said)
    store.series.save_verdicts(SERIES, said)
    first, second = store.read.series(SERIES).points
    assert [(v.metric, v.state) for v in first.verdicts] == [("accept-length", "healthy"), ("speed", "unknown")]
    assert first.verdicts[0].numbers == {"after": 2.5, "pairs": 2, "low": None}
    assert [v.reason for v in second.verdicts] == ["load crash"]
    store.series.save_verdicts(SERIES, {"r2": [Verdict(Metric.OUTPUT, State.WRONG_OUTPUT, "gap")]})
    first, second = store.read.series(SERIES).points
    assert (first.verdicts, [v.state for v in second.verdicts]) == ([], ["wrong-output"])
    assert [v.state for v in store.read.run("r2").verdicts] == ["wrong-output"]


def test_verdicts_on_runs_of_another_series_are_refused(store: Store) -> None:
    two_runs(store)
    said = [Verdict(Metric.SPEED, State.UNKNOWN, "")]
    store.series.save_verdicts(SERIES, {"r1": said})
    with pytest.raises(NotFoundError, match=f"series {SERIES} has no run other"):
        store.series.save_verdicts(SERIES, {"r2": said, "other": said})
    assert [len(point.verdicts) for point in store.read.series(SERIES).points] == [1, 0]


def test_a_flip_is_new_once(store: Store) -> None:
    two_runs(store)
    (number,) = store.series.save_flips(SERIES, [BROKE], [BROKE])
    first = store.read.regressions()
    refreshed = replace(BROKE, reason="it fell again", after_run="r3")
    assert store.series.save_flips(SERIES, [refreshed], [refreshed]) == []
    (view,) = store.read.regressions()
    assert (view.flip_id, view.created_at) == (number, first[0].created_at)
    assert (view.reason, view.to_run, view.series) == ("it fell again", "r3", "vllm / tiny / eagle3 / demo")
    assert (view.from_revision, view.to_revision, view.before, view.after) == ("1.0", "2.0", "healthy", "broken")
    assert (view.engine, view.target, view.draft, view.method, view.spec) == (
        "vllm",
        "tiny",
        "head",
        "eagle3",
        "eagle3",
    )


def test_what_is_fixed_or_not_found_any_more_stands_no_longer(store: Store) -> None:
    two_runs(store)
    fixed = replace(BROKE, change=Change.FIXED, before_revision="2.0", after_revision="3.0", reason="it rose")
    store.series.save_flips(SERIES, [BROKE], [BROKE])
    assert len(store.series.save_flips(SERIES, [BROKE, fixed], [fixed])) == 1
    assert store.read.regressions() == []
    assert [flip.reason for flip in store.read.regressions(standing=False)] == ["it fell"]
    assert [flip.reason for flip in store.read.overview().fixed] == ["it rose"]
    store.series.save_flips(SERIES, [], [])
    assert store.read.overview().fixed == []
    assert [flip.standing for flip in store.read.series(SERIES).flips] == [False, False]
    assert store.series.save_flips(SERIES, [BROKE], [BROKE]) == []
    assert len(store.read.regressions()) == 1


def test_flips_of_other_series_are_left_alone(store: Store) -> None:
    two_runs(store)
    store.series.save_flips(SERIES, [BROKE], [BROKE])
    store.series.save_flips("another", [], [])
    assert len(store.read.regressions()) == 1
    store.series.save_flips("another", [BROKE], [BROKE])
    assert sorted(flip.series for flip in store.read.regressions()) == ["", "vllm / tiny / eagle3 / demo"]


def test_only_changes_for_the_worse_are_regressions(store: Store) -> None:
    two_runs(store)
    found = [replace(BROKE, change=change) for change in Change]
    store.series.save_flips(SERIES, found, found)
    assert {flip.change for flip in store.read.regressions()} == {"regression", "new failure"}
    assert {flip.change for flip in store.read.overview().fixed} == {"fixed", "new pass"}
    assert len(store.read.series(SERIES).flips) == len(Change)


def two_runs(store: Store) -> None:
    store.runs.save(run("r1", cell("1.0"), sample(), at=1.0))
    store.runs.save(run("r2", cell("2.0"), outcome=Outcome.LOAD_CRASH, at=2.0))


def test_places_and_repeated_series(store: Store) -> None:
    store.runs.save(run("a", cell("1.0"), sample()))
    store.runs.save(run("b", cell("2.0", NGRAM), sample()))
    store.runs.save(run("c", cell("2.0", NGRAM, boot=1), sample()))
    assert store.judged.places() == {cell(spec=spec).series_key: ("vllm", "cpu Xeon x2") for spec in (EAGLE, NGRAM)}
    assert list(store.judged.places()) == store.series.keys()
    assert store.judged.repeated() == {cell(spec=NGRAM).series_key}
