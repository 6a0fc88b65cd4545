"""The read models of the pages: overview, series, run, sweep."""

from dataclasses import replace
from typing import Any

import pytest

from matrix.core.errors import NotFoundError
from matrix.core.outcome import Outcome
from matrix.core.result import Divergence
from matrix.core.spec import BASELINE
from matrix.core.state import Metric, State, Verdict
from matrix.store import Store, SweepStatus
from matrix.store.views import Heatmap, Square
from tests.store.build import HEAD, NGRAM, baseline_run, cell, key, run, sample

SERIES = cell().series_key


def test_an_empty_database_has_an_empty_overview(store: Store) -> None:
    view = store.read.overview()
    assert (view.regressions, view.fixed, view.heatmaps, view.sweep, view.runs) == ([], [], [], None, 0)
    assert store.read.latest_sweep() is None


def test_the_heatmap_is_series_by_revisions_in_release_order(store: Store) -> None:
    store.runs.save(run("r10", cell("0.10.0"), sample(), at=1.0))
    store.runs.save(run("r9", cell("0.9.0"), outcome=Outcome.LOAD_CRASH, at=2.0))
    store.runs.save(baseline_run("b", "0.10.0", at=3.0))
    store.runs.save(run("n", cell("main", NGRAM), sample(), at=4.0))
    store.series.save_verdicts(SERIES, {"r10": [Verdict(Metric.ACCEPT_LENGTH, State.HEALTHY, "as before")]})
    (heatmap,) = store.read.overview().heatmaps
    assert (heatmap.engine, heatmap.revisions) == ("vllm", ["0.9.0", "0.10.0", "main"])
    assert [row.spec for row in heatmap.rows] == ["baseline", "ngram", "eagle3"]
    base, ngram, eagle = heatmap.rows
    assert texts(base) == [None, "16 tok/s", None]
    assert texts(ngram) == [None, None, "3.00"]
    assert texts(eagle) == ["load-crash", "3.00", None]
    assert (eagle.series_key, eagle.target, eagle.draft, eagle.k, eagle.hardware) == (
        SERIES,
        "tiny",
        "head",
        3,
        "cpu Xeon x2",
    )
    assert eagle.squares[1] == Square("0.10.0", "healthy", "3.00", "as before", "r10", 3.0, 31 / 16, None, "ok")
    crashed = eagle.squares[0]
    assert crashed is not None
    assert (crashed.state, crashed.reason, crashed.outcome) == ("unknown", "not judged yet", "load-crash")


def test_jobs_of_a_running_sweep_are_squares(store: Store) -> None:
    store.runs.save(run("r", cell("1.0"), sample()))
    sweep = store.sweeps.create({}, "", owner="me", tool_version="1")
    planned = [cell("1.0", boot=1), cell("2.0"), cell("2.0", BASELINE)]
    store.queue.enqueue(sweep, [(key(c), c) for c in planned])
    job = store.queue.claim("me")
    assert job is not None
    store.queue.set_phase(job.job_id, "me", "serve", "port 8000")
    again, new = squares(store, "eagle3")
    assert again is not None
    assert (again.text, again.run_id, again.phase, again.outcome) == ("3.00", "r", "serve", "ok")
    assert new == Square("2.0", "unknown", "queued", "", None, None, None, "queued", None)
    assert [s and s.phase for s in squares(store, "baseline")] == [None, "queued"]
    store.sweeps.finish(sweep, SweepStatus.INTERRUPTED)
    assert [s and s.phase for s in squares(store, "eagle3")] == [None]


def test_a_series_that_is_only_planned_has_a_page(store: Store) -> None:
    sweep = store.sweeps.create({}, "", owner="me", tool_version="1")
    store.queue.enqueue(sweep, [(key(cell()), cell())])
    view = store.read.series(SERIES)
    assert (view.title, view.k, view.launch, view.points) == ("vllm / tiny / eagle3 / demo", 3, "--x 1 A=b", [])
    with pytest.raises(NotFoundError, match="no series nothing"):
        store.read.series("nothing")


def test_a_series_point_has_figures_and_intervals(store: Store) -> None:
    accepted = (10, 12, 14, 16)
    samples = [sample(f"code-{i}", accepted=n, tokens=30 + i, seconds=1.0) for i, n in enumerate(accepted)]
    store.runs.save(run("r", cell("1.0"), *samples))
    store.runs.save(baseline_run("b", "1.0"))
    (point,) = store.read.series(SERIES).points
    # Accept lengths 2.0, 2.2, 2.4, 2.6: mean 2.3, sd 0.2582; t(3) = 3.18245, so 2.3 +- 3.18245 * 0.2582 / 2.
    assert point.accept_length == pytest.approx(2.3)
    assert (point.low, point.high) == (pytest.approx(2.3 - 0.41085, abs=1e-4), pytest.approx(2.3 + 0.41085, abs=1e-4))
    # Speeds 30, 31, 32, 33: mean 31.5, sd 1.29099, half width 3.18245 * 1.29099 / 2.
    assert point.output_tok_s == 31.5
    assert (point.tok_s_low, point.tok_s_high) == (
        pytest.approx(31.5 - 2.05425, abs=1e-4),
        pytest.approx(31.5 + 2.05425, abs=1e-4),
    )
    assert (point.baseline_tok_s, point.speedup, point.outcome) == (16.0, 31.5 / 16, "ok")


def test_a_run_page(store: Store) -> None:
    first = sample(divergence=Divergence(5, 0.75, True), flags=("repeats",))
    second = sample("chat-1", accepted=10, seconds=2.0, tokens=None)
    made = run("abc123", cell(), first, second, outcome=Outcome.WRONG_OUTPUT)
    store.runs.save(made, log_ref="e" * 64, log_bytes=12)
    store.runs.save(baseline_run("b"))
    view = store.read.run("abc")
    assert view.row.run_id == "abc123"
    one, two = view.samples
    assert (one.accept_length, one.tokens_per_step, one.tok_s, one.flags) == (3.0, 3.0, 31.0, ["repeats"])
    assert (one.diverged_at, one.gap, one.gap_at_least, one.text) == (5, 0.75, True, "text of code-1")
    assert (two.accept_length, two.tokens_per_step, two.tok_s, two.diverged_at, two.gap_at_least) == (
        2.0,
        None,
        None,
        None,
        False,
    )
    assert view.phases[:2] == [("build", 12.5), ("start", 20.0)]
    assert (view.command, view.reproduce) == (
        ["python", "-m", "vllm", "--model", "a b"],
        "python -m vllm --model 'a b'",
    )
    assert (view.next_step, view.signature, view.excerpt) == ("look", "sig", "excerpt")
    assert view.models == {"tiny": "a" * 64, "head": "b" * 64}
    assert (view.log_ref, view.log_bytes, view.content_key) == ("e" * 64, 12, key(cell()))
    assert (view.recipe_text, view.probe_version, view.tool_version) == ("recipe", "1", "0.1.0")
    assert (view.started_at, view.baseline_run, view.verdicts) == (940.0, "b", [])


def test_a_run_is_found_by_a_unique_beginning_only(store: Store) -> None:
    for name in ("abc1", "abc2", "ab", "x%y", "XY"):
        store.runs.save(run(name, cell()))
    assert store.read.run("abc1").row.run_id == "abc1"
    assert store.read.run("ab").row.run_id == "ab"
    assert store.read.run("x%").row.run_id == "x%y"
    with pytest.raises(NotFoundError, match="2 runs begin with 'abc': abc1, abc2"):
        store.read.run("abc")
    for unknown in ("ABC1", "%", "zzz", "", "xy"):
        with pytest.raises(NotFoundError, match="there is no run"):
            store.read.run(unknown)


def test_models_of_one_name_do_not_hide_each_other(store: Store) -> None:
    drafting_itself = replace(cell().spec, draft=replace(HEAD, name="tiny"))
    store.runs.save(run("r", cell(spec=drafting_itself)))
    assert store.read.run("r").models == {"tiny": "a" * 64, "tiny (draft)": "b" * 64}


def test_a_sweep_page(store: Store) -> None:
    store.sweeps.create({}, "", owner="me", tool_version="1")
    sweep = store.sweeps.create({}, "", owner="me", tool_version="1")
    planned = [cell("1.0"), cell("2.0"), cell("3.0", BASELINE)]
    store.queue.enqueue(sweep, [(key(c), c) for c in planned])
    job = store.queue.claim("me")
    assert job is not None
    store.queue.finish(job.job_id, "me", run("r", job.cell, sample()))
    store.queue.claim("me")
    view = store.read.latest_sweep()
    assert view is not None
    assert (view.sweep_id, view.status, view.total, view.done) == (sweep, "running", 3, 1)
    assert view.eta_s == pytest.approx(120, abs=5)
    assert [(j.revision, j.spec, j.status, j.outcome, j.accept_length) for j in view.jobs] == [
        ("1.0", "eagle3", "done", "ok", 3.0),
        ("2.0", "eagle3", "claimed", None, None),
        ("3.0", "baseline", "queued", None, None),
    ]
    assert view.jobs[0].label == "vllm 1.0 / tiny / eagle3"
    with pytest.raises(NotFoundError, match="no sweep 99"):
        store.read.sweep(99)


def texts(row: Any) -> list[str | None]:
    return [square and square.text for square in row.squares]


def squares(store: Store, spec: str) -> list[Square | None]:
    heatmaps: list[Heatmap] = store.read.overview().heatmaps
    return next(row.squares for row in heatmaps[0].rows if row.spec == spec)


@pytest.mark.parametrize("number", [0, -1, 2**31, 10**30])
def test_a_sweep_number_that_no_column_holds_is_not_found(store: Store, number: int) -> None:
    with pytest.raises(NotFoundError, match=f"no sweep {number}"):
        store.read.sweep(number)


def test_a_run_id_longer_than_any_is_not_found(store: Store) -> None:
    store.runs.save(run("r1", cell()))
    with pytest.raises(NotFoundError, match="100000 characters"):
        store.read.run("r" * 100_000)
