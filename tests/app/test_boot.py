"""Cells that differ in their workload only are served by one server; whatever goes wrong, it is stopped."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.store import Store, open_store
from tests.app.build import FakeExecutor, Seen, cell
from tests.app.test_sweep import plan
from tests.fakes.engine import Script
from tests.probes.conftest import workload_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


def under(load: int, of: Cell, **changes: object) -> Cell:
    workload = replace(workload_of(4, 20), name=f"small@{load}", concurrency=load, **changes)  # type: ignore[arg-type]
    return replace(of, workload=workload)


def loads(spec: str = "eagle", *numbers: int) -> list[Cell]:
    return [under(n, cell(spec)) for n in numbers or (1, 8)]


def test_both_loads_are_measured_on_one_server_and_stored_apart(tmp_path: Path, store: Store) -> None:
    executor = FakeExecutor()
    run_sweep(plan(tmp_path, *loads("baseline"), *loads("eagle")), executor, store, Seen())
    assert [len(s.engine.requests) > 0 and s.stops for s in executor.servers] == [1, 1]
    rows = list(store.read.results())
    assert [(r.spec, r.concurrency, r.outcome) for r in rows] == [
        ("baseline", 1, "ok"),
        ("baseline", 8, "ok"),
        ("eagle", 1, "ok"),
        ("eagle", 8, "ok"),
    ]
    assert len({r.run_id for r in rows}) == len({r.series_key for r in rows}) == 4
    assert rows[2].accept_length == pytest.approx(rows[3].accept_length)
    assert [r.start_s is None for r in rows] == [False, True, False, True]
    assert [r.output_tok_s is None for r in rows] == [False, True, False, True]
    first, second = (store.read.run(r.run_id) for r in rows[2:])
    assert second.baseline_run == rows[1].run_id and first.baseline_run == rows[0].run_id
    assert second.log_ref is not None and second.command == first.command


def test_a_crash_that_needs_a_batch_is_found_and_the_single_sample_stays(tmp_path: Path, store: Store) -> None:
    executor = FakeExecutor(eagle=Script(most_in_flight=1, token_s=0.01))
    run_sweep(plan(tmp_path, *loads("eagle", 1, 8)), executor, store, Seen())
    single, batch = store.read.results()
    assert (single.outcome, batch.outcome) == ("ok", "serve-crash")
    assert single.accept_length is not None and batch.accept_length is None
    assert "at concurrency 8" in batch.reason and "concurrency" not in single.reason
    assert [s.stops for s in executor.servers] == [1]


def test_after_a_crash_the_next_load_gets_a_server_of_its_own(tmp_path: Path, store: Store) -> None:
    executor = FakeExecutor(eagle=Script(most_in_flight=1, token_s=0.01))
    run_sweep(plan(tmp_path, *loads("eagle", 8, 1)), executor, store, Seen())
    assert [r.outcome for r in store.read.results()] == ["serve-crash", "ok"]
    assert [s.stops for s in executor.servers] == [1, 1]


def test_a_server_that_died_between_two_cells_is_not_taken_over(tmp_path: Path, store: Store) -> None:
    executor = FakeExecutor()

    class Killing(Seen):
        def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
            if cell.workload.concurrency == 1:
                executor.servers[-1].engine.die()

    run_sweep(plan(tmp_path, *loads()), executor, store, Killing())
    assert [r.outcome for r in store.read.results()] == ["ok", "ok"]
    assert [s.stops for s in executor.servers] == [1, 1]


@pytest.mark.parametrize("phase", ["warmup", "probe", "done"])
def test_ctrl_c_stops_a_server_that_was_kept(tmp_path: Path, store: Store, phase: str) -> None:
    executor = FakeExecutor()

    class Impatient(Seen):
        def phase(self, cell: Cell, phase_: str, detail: str = "") -> None:
            if phase_ == phase and cell.workload.concurrency == 8:
                raise KeyboardInterrupt

        def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
            if phase == "done":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(plan(tmp_path, *loads()), executor, store, Impatient())
    assert [s.stops for s in executor.servers] == [1]
    assert [r.concurrency for r in store.read.results()] == [1]
    assert not list((store.state_dir / "running").rglob("*.log"))


def test_only_the_workload_may_differ() -> None:
    one, other = loads()
    assert one.shares_server(other)
    assert not one.shares_server(replace(other, boot=1))
    assert not one.shares_server(replace(other, launch=replace(other.launch, flags=("--other",))))
    assert not one.shares_server(cell("baseline"))
    assert not one.shares_server(under(8, other, uptime_min=1))


def test_an_image_workload_of_a_text_only_target_is_not_applicable(tmp_path: Path, store: Store) -> None:
    executor = FakeExecutor()
    blind = under(1, cell("eagle"), kind="image")
    blind = replace(blind, target=replace(blind.target, images=False))
    run_sweep(plan(tmp_path, blind), executor, store, Seen())
    (row,) = store.read.results()
    assert (row.outcome, row.kind) == ("unsupported", "image")
    assert "takes text only" in row.reason and "vision_config" in row.reason
    assert executor.servers == []
    assert {v.state for v in store.read.run(row.run_id).verdicts} == {"not-applicable"}
