"""What is measured already, what to measure next, and what stands beside a run."""

from dataclasses import replace

from matrix.core.outcome import Outcome
from matrix.core.spec import BASELINE
from matrix.plan.estimate import Past
from matrix.store import Store
from tests.store.build import ARTIFACT, baseline_run, cell, key, run, sample

SERIES = cell().series_key


def test_measured_keys_name_the_newest_run_that_says_something(store: Store) -> None:
    store.runs.save(run("ok", cell("1.0"), sample(), at=1.0))
    store.runs.save(run("again", cell("1.0"), outcome=Outcome.HANG, at=2.0))
    store.runs.save(run("infra", cell("2.0"), outcome=Outcome.INFRA))
    store.runs.save(run("build", cell("3.0"), outcome=Outcome.BUILD_FAILED))
    store.runs.save(run("unsupported", cell("4.0"), outcome=Outcome.UNSUPPORTED))
    keys = {version: key(cell(version)) for version in ("1.0", "2.0", "3.0", "4.0", "5.0")}
    assert store.runs.measured_keys(keys.values()) == {keys["1.0"]: "again", keys["4.0"]: "unsupported"}
    assert store.runs.measured_keys(keys.values(), tried=True) == {keys["1.0"]: "again"}
    assert store.runs.measured_keys([]) == {}
    many = [*(f"{i:064x}" for i in range(2000)), keys["1.0"]]
    assert store.runs.measured_keys(many) == {keys["1.0"]: "again"}


def test_next_boot_is_above_measured_and_waiting_ones(store: Store) -> None:
    assert store.runs.next_boot(cell("1.0")) == 0
    store.runs.save(run("infra", cell("1.0"), outcome=Outcome.INFRA))
    assert store.runs.next_boot(cell("1.0")) == 0
    store.runs.save(run("r", cell("1.0"), sample()))
    assert store.runs.next_boot(cell("1.0")) == 1
    again = cell("1.0", boot=1)
    sweep = store.sweeps.create({}, "", owner="me", tool_version="1")
    store.queue.enqueue(sweep, [(key(again), again)])
    assert (store.runs.next_boot(cell("1.0")), store.runs.next_boot(cell("2.0"))) == (2, 0)
    store.queue.cancel_rest(sweep)
    assert store.runs.next_boot(again) == 1


def test_what_earlier_runs_took(store: Store) -> None:
    assert store.read.past() == Past(probe_s={})
    phases = (("build", 10.0), ("start", 20.0), ("ready", 4.0), ("warmup", 1.0), ("probe", 7.0), ("stop", 0.5))
    store.runs.save(run("a", cell("1.0"), sample(), phases=phases))
    reused = replace(ARTIFACT, reused=True)
    store.runs.save(run("b", cell("2.0"), phases=(("build", 0.1), ("start", 40.0), ("probe", 4.0)), artifact=reused))
    store.runs.save(run("c", cell("3.0"), phases=(("build", 30.0),), outcome=Outcome.BUILD_FAILED))
    assert store.read.past() == Past(start_s=30.0, build_s=20.0, probe_s={SERIES: (8.0 + 4.0) / 2})


def test_baseline_of(store: Store) -> None:
    assert store.runs.baseline_of(cell("1.0")) is None
    store.runs.save(baseline_run("b", "1.0"))
    found = store.runs.baseline_of(cell("1.0", boot=3))
    assert found is not None
    assert (found.run_id, found.tok_s, [s.prompt_id for s in found.samples]) == ("b", 16.0, ["code-1", "chat-1"])
    assert store.runs.baseline_of(cell("1.0", BASELINE)) == found


def test_a_repeated_baseline_changes_nothing_beside_earlier_runs(store: Store) -> None:
    store.runs.save(run("base-0", cell("1.0", BASELINE), sample("p1", tokens=100, seconds=1.0), at=1.0))
    store.runs.save(run("draft-0", cell("1.0"), sample("p1", tokens=100, seconds=0.5), at=2.0))
    first = {row.run_id: row for row in store.read.results()}
    store.runs.save(run("base-1", cell("1.0", BASELINE, boot=1), sample("p1", tokens=100, seconds=4.0), at=3.0))
    store.runs.save(run("draft-1", cell("1.0", boot=1), sample("p1", tokens=100, seconds=0.5), at=4.0))
    rows = {row.run_id: row for row in store.read.results()}
    assert rows["draft-0"] == first["draft-0"]
    assert (rows["draft-0"].speedup, rows["draft-1"].speedup) == (2.0, 8.0)
    assert store.read.run("draft-0").baseline_run == "base-0"
