"""Sweeps over a real store, with the scripted engine in this process."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.gather import Source
from matrix.app.planning import Plan, Planned, content_key
from matrix.app.sweep import clear_up, run_sweep
from matrix.core.cell import Cell
from matrix.core.errors import EnvironmentMismatchError, InfraError
from matrix.core.outcome import Outcome
from matrix.executors import owner
from matrix.plan.estimate import Estimate
from matrix.store import Store
from tests.app.build import FakeExecutor, Seen, cell
from tests.databases import on_both
from tests.fakes.engine import Script
from tests.plan.build import MINIMAL

pytestmark = on_both


@pytest.fixture
def store(stored: Store) -> Store:
    return stored


def plan(tmp_path: Path, *cells: Cell, engine: str = "") -> Plan:
    file = tmp_path / "matrix.toml"
    file.write_text(MINIMAL.replace("[engines.vllm]", f"[engines.vllm]\n{engine}"))
    planned = tuple(Planned(c, content_key(c), None, None) for c in cells)
    return Plan(Source(file), "fake", planned, (), Estimate(1, 0, 0, False))


def both() -> tuple[Cell, Cell]:
    return cell("baseline"), cell("eagle")


def test_a_draft_run_is_compared_with_the_baseline_before_it(tmp_path: Path, store: Store) -> None:
    outcome = run_sweep(plan(tmp_path, *both()), FakeExecutor(), store, Seen())
    assert (outcome.runs, outcome.infra) == (2, 0)
    baseline, draft = store.read.results()
    assert draft.baseline_tok_s == baseline.output_tok_s
    verdicts = {v.metric: v.state for v in store.read.run(draft.run_id).verdicts}
    assert (verdicts["speed"], verdicts["output"]) == ("unknown", "healthy")


def test_the_time_left_is_known_before_the_first_cell_ends(tmp_path: Path, store: Store) -> None:
    class Looking(Seen):
        left: float | None = None

        def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
            view = store.read.latest_sweep()
            if view is not None and not view.done:
                self.left = view.eta_s

    looking = Looking()
    wanted = replace(plan(tmp_path, *both()), estimate=Estimate(160, 0, 0, False, (100.0, 60.0)))
    run_sweep(wanted, FakeExecutor(), store, looking)
    assert looking.left is not None
    assert 60 <= looking.left <= 160, "the second cell is still to come, however slow the first is"


def test_what_the_config_says_was_published_is_kept(tmp_path: Path, store: Store) -> None:
    wanted = plan(tmp_path, *both())
    head = 'path = "models/head"'
    wanted.source.path.write_text(
        MINIMAL.replace(head, f"{head}\nexpectations = [{{ value = 2.4, link = 'https://example.org' }}]")
    )
    run_sweep(replace(wanted, source=Source(wanted.source.path)), FakeExecutor(), store, Seen())
    assert [(e.value, e.link) for e in store.published.of("head")] == [(2.4, "https://example.org")]


def test_a_cell_in_a_killed_sweeps_hands_is_taken_over(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other sweep holds the cell when ours starts, and is killed while we wait for it."""
    wanted = plan(tmp_path, *both())
    other = store.sweeps.create({}, "", owner="other", tool_version="")
    store.queue.enqueue(other, [(p.content_key, p.cell) for p in wanted.cells])
    assert store.queue.claim("other", other) is not None
    lives = iter([True, True])
    monkeypatch.setattr(owner, "alive", lambda who: who != "other" or next(lives, False))
    monkeypatch.setattr("matrix.app.sweep.WAIT_S", 0.01)
    run_sweep(wanted, FakeExecutor(), store, Seen())
    assert sorted(row.spec for row in store.read.results()) == ["baseline", "eagle"]


def test_an_infra_failure_is_kept_and_run_again(tmp_path: Path, store: Store) -> None:
    outcome = run_sweep(
        plan(tmp_path, cell()), FakeExecutor(fail=InfraError("no space", hint="make some")), store, Seen()
    )
    assert outcome.infra == 1
    assert store.runs.measured_keys([content_key(cell())]) == {}
    assert run_sweep(plan(tmp_path, cell()), FakeExecutor(), store, Seen()).infra == 0
    assert [row.outcome for row in store.read.results()] == ["infra", "ok"]


def test_an_interrupted_sweep_keeps_what_it_measured(tmp_path: Path, store: Store) -> None:
    class Impatient(Seen):
        def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
            if cell.spec.name == "eagle" and phase == "probe":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(plan(tmp_path, *both()), FakeExecutor(), store, Impatient())
    view = store.read.latest_sweep()
    assert view is not None and view.status == "interrupted"
    assert [row.spec for row in store.read.results()] == ["baseline"]
    assert list((store.state_dir / "running").rglob("*.log")) == []


def test_clearing_up_removes_the_scratch_of_dead_owners_only(store: Store) -> None:
    running = store.state_dir / "running"
    mine = running / owner.me() / "run-a"
    dead = running / owner.me().replace(str(os.getpid()), "999999999", 1) / "run-b"
    for folder in (mine, dead):
        folder.mkdir(parents=True)
    clear_up(FakeExecutor(), store)
    assert mine.exists() and not dead.exists()


def test_secrets_reach_neither_terminal_nor_database_nor_log(tmp_path: Path, store: Store) -> None:
    base = cell("baseline")
    secret = replace(base, launch=replace(base.launch, env=(("MY_API_KEY", "plain-words-99"),)))
    token = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz"
    executor = FakeExecutor(baseline=Script(mode="garbage"))
    executor.log_text = f"ValueError: cannot log in with plain-words-99 and {token}\n"
    told: list[str] = []

    class Telling(Seen):
        def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
            told.append(reason)

    engine = 'env = { MY_API_KEY = "plain-words-99" }'
    run_sweep(plan(tmp_path, secret, engine=engine), executor, store, Telling())
    (row,) = store.read.results()
    view = store.read.run(row.run_id)
    assert view.log_ref is not None
    log = store.logs.read(view.log_ref)
    assert "cannot log in with [redacted] and [redacted]" in log
    for text in (repr(view), log, *told):
        assert "plain-words-99" not in text and token not in text
    assert told


def test_no_place_for_logs_is_told_and_gives_the_cell_back(tmp_path: Path, store: Store) -> None:
    store.state_dir.mkdir(parents=True, exist_ok=True)
    (store.state_dir / "running").write_text("in the way")
    with pytest.raises(InfraError, match="no folder for logs"):
        run_sweep(plan(tmp_path, cell()), FakeExecutor(), store, Seen())
    sweep = store.read.latest_sweep()
    assert sweep is not None and sweep.status == "failed"
    assert [job.status for job in sweep.jobs] == ["cancelled"]


def test_a_sweep_that_could_measure_nothing_was_in_vain(tmp_path: Path, store: Store) -> None:
    no_image = FakeExecutor(fail=EnvironmentMismatchError("no base image", hint="pull it"))
    outcome = run_sweep(plan(tmp_path, *both()), no_image, store, Seen())
    assert (outcome.runs, outcome.infra, outcome.measured, outcome.in_vain) == (2, 0, 0, True)
    again = run_sweep(plan(tmp_path, *both()), FakeExecutor(baseline=Script(mode="garbage")), store, Seen())
    assert (again.measured, again.in_vain) == (2, False)
    assert not run_sweep(plan(tmp_path), FakeExecutor(), store, Seen()).in_vain
