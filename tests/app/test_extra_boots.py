"""Boots beyond a plan's cells: repeats that measure noise, and boots for what is ambiguous, until it is settled."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.extra import ExtraBoots
from matrix.app.planning import Plan, plan_cells
from matrix.app.repeats import repeats
from matrix.app.source import Source
from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.recipe import Artifact, LaunchPlan, Placement
from matrix.store import Store, open_store
from tests.app.build import FakeExecutor, FakeServer, Seen, cell
from tests.fakes.engine import Script
from tests.plan.build import MINIMAL
from tests.probes.conftest import workload_of

USUAL, LOWER = [0.7, 0.45, 0.25], [0.6, 0.36, 0.16]
BOTH = [cell(spec, version) for version in ("1.0.0", "1.1.0") for spec in ("baseline", "eagle")]


class Booting(FakeExecutor):
    """Each boot accepts what `acceptance` says of its cell; `fails` stops the machine at a boot."""

    def __init__(self, acceptance: Callable[[Cell], list[float]], fails: Callable[[Cell], bool] = lambda _: False):
        super().__init__()
        self.acceptance, self.fails = acceptance, fails
        self.boots: list[tuple[str, str, int]] = []

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> FakeServer:
        self.boots.append((cell.revision.version, cell.spec.name, cell.boot))
        self.fail, self.fail_at = (InfraError("no space") if self.fails(cell) else None), "serve"
        self.scripts = {cell.spec.name: Script(acceptance=self.acceptance(cell))}
        return super().serve(artifact, cell, plan, run_id, log)

    @property
    def extra(self) -> list[tuple[str, int]]:
        return [(version, boot) for version, _, boot in self.boots if boot]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


@pytest.fixture
def planned(tmp_path: Path, store: Store) -> Callable[..., Plan]:
    """A plan of cells over as many prompts as are ever asked for, with the repeats of its config, as `make_plan` makes it."""

    def make(*judge: str, cells: list[Cell] = BOTH) -> Plan:
        file = tmp_path / "matrix.toml"
        # Real speeds, which a test cannot rule, play no part.
        file.write_text("\n".join([MINIMAL, "[judge]", "relevant_speed = 0.9", *judge]))
        wide = [replace(c, workload=workload_of(64, 48)) for c in cells]
        plan = plan_cells(Source(file), FakeExecutor(), store, wide)
        return replace(plan, repeats=repeats(plan.cells, store, plan.source.config.judge.repeats))

    return make


def sweep(plan: Plan, executor: FakeExecutor, store: Store) -> list[str]:
    """What was said while sweeping."""
    said: list[str] = []
    run_sweep(plan, executor, store, Seen(), ExtraBoots(said.append))
    return said


def usual(_: Cell) -> list[float]:
    return USUAL


def falling(of: Cell) -> list[float]:
    return USUAL if of.revision.version == "1.0.0" else LOWER


def states(store: Store) -> dict[tuple[str, str], str]:
    return {
        (row.revision, v.metric): v.state
        for row in store.read.results()
        if row.spec == "eagle"
        for v in store.read.run(row.run_id).verdicts
    }


def test_the_oldest_release_is_repeated_once_and_never_again(planned: Callable[..., Plan], store: Store) -> None:
    executor = Booting(usual)
    assert [p.cell.label for p in planned().repeats] == ["vllm 1.0.0 / big / eagle"]
    sweep(planned("minutes = 0"), executor, store)
    assert executor.extra == [("1.0.0", 1)]
    assert planned().repeats == ()
    newer = planned("minutes = 0", cells=[*BOTH, cell("eagle", "1.2.0")])
    assert newer.repeats == ()


def test_more_repeats_come_with_later_sweeps_that_measure(planned: Callable[..., Plan], store: Store) -> None:
    two = ("minutes = 0", "repeats = 2")
    sweep(planned(*two), Booting(usual), store)
    assert planned(*two).repeats == ()
    executor = Booting(usual)
    sweep(planned(*two, cells=[*BOTH, cell("eagle", "1.2.0")]), executor, store)
    assert executor.extra == [("1.0.0", 2)]


def test_no_repeats_where_none_are_wanted(planned: Callable[..., Plan], store: Store) -> None:
    executor = Booting(usual)
    sweep(planned("repeats = 0", "minutes = 0"), executor, store)
    assert executor.extra == []


def test_a_draft_that_does_nothing_is_not_repeated(planned: Callable[..., Plan], store: Store) -> None:
    """Which cell is repeated is decided when its first boot is judged."""
    plan = planned("minutes = 0")
    assert len(plan.repeats) == 1
    executor = Booting(lambda _: [0.0, 0.0, 0.0])
    sweep(plan, executor, store)
    assert executor.extra == []


def test_a_bisections_sweep_gets_no_boots_of_its_own(planned: Callable[..., Plan], store: Store) -> None:
    executor = Booting(falling)
    run_sweep(planned(), executor, store, Seen())
    assert executor.extra == []


def test_boots_are_added_until_a_fall_is_certain(planned: Callable[..., Plan], store: Store) -> None:
    executor = Booting(falling)
    said = sweep(planned(), executor, store)
    assert said[0].startswith("ambiguous: vllm/1.1.0/big/eagle/") and "another boot of 1.1.0" in said[0]
    assert len(executor.extra) == len(set(executor.extra)) > 1
    assert states(store)["1.1.0", "accept-length"] == "degraded"
    assert [f.change for f in store.read.regressions()] == ["regression"]


def test_boots_are_added_until_a_fall_is_excluded_and_then_no_more(planned: Callable[..., Plan], store: Store) -> None:
    sweep(planned(), Booting(usual), store)
    assert states(store)["1.1.0", "accept-length"] == "healthy"
    again = Booting(usual)
    assert sweep(planned(), again, store) == [] and again.boots == []


def test_the_cap_of_boots_ends_it_undecided(planned: Callable[..., Plan], store: Store) -> None:
    capped = ("max_boots = 2",)
    noisy = Booting(lambda of: USUAL if of.boot % 2 == 0 else LOWER)
    sweep(planned(*capped), noisy, store)
    assert sorted(noisy.extra) == [("1.0.0", 1), ("1.1.0", 1)]
    again = Booting(usual)
    assert sweep(planned(*capped), again, store) == [] and again.boots == []


def test_a_boot_that_the_machine_fails_is_not_asked_for_twice(planned: Callable[..., Plan], store: Store) -> None:
    broken = Booting(falling, fails=lambda of: of.revision.version == "1.1.0" and of.boot > 0)
    said = sweep(planned(), broken, store)
    assert broken.extra == [("1.0.0", 1), ("1.1.0", 1)] and len(said) == 1
    mended = Booting(falling)
    sweep(planned(), mended, store)
    assert mended.extra[0] == ("1.1.0", 1)
    assert states(store)["1.1.0", "accept-length"] == "degraded"


def test_a_boot_decides_where_as_many_served_as_failed(planned: Callable[..., Plan], store: Store) -> None:
    class Dying(Booting):
        def serve(self, artifact: Artifact, cell: Cell, *rest: object) -> FakeServer:  # type: ignore[override]
            server = super().serve(artifact, cell, *rest)  # type: ignore[arg-type]
            if cell.boot == 1:
                server.engine.script = Script(mode="status", after=2)
            return server

    executor = Dying(usual)
    said = sweep(planned(cells=BOTH[:2]), executor, store)
    assert len(said) == 1 and said[0].startswith("ambiguous: vllm/1.0.0/big/eagle/")
    assert ": its boots disagree: 1 of 2 boots ended in serve-crash" in said[0]
    assert said[0].endswith("; another boot of 1.0.0")
    assert executor.extra == [("1.0.0", 1), ("1.0.0", 2)]
    assert states(store)["1.0.0", "accept-length"] == "healthy"


def test_an_interrupted_round_is_gone_on_with(planned: Callable[..., Plan], store: Store) -> None:
    class Leaving(Booting):
        def serve(self, artifact: Artifact, cell: Cell, *rest: object) -> FakeServer:  # type: ignore[override]
            if (cell.revision.version, cell.boot) == ("1.1.0", 1):
                raise KeyboardInterrupt
            return super().serve(artifact, cell, *rest)  # type: ignore[arg-type]

    first = Leaving(falling)
    with pytest.raises(KeyboardInterrupt):
        sweep(planned(), first, store)
    view = store.read.latest_sweep()
    assert view is not None and view.status == "interrupted"
    second = Booting(falling)
    sweep(planned(), second, store)
    assert (first.extra, second.extra[0]) == ([("1.0.0", 1)], ("1.1.0", 1))
    assert states(store)["1.1.0", "accept-length"] == "degraded"
    rows = [(r.revision, r.spec, r.boot) for r in store.read.results()]
    assert len(rows) == len(set(rows))


def test_the_reference_is_booted_again_though_the_plan_lacks_it(planned: Callable[..., Plan], store: Store) -> None:
    once = ("repeats = 0", "minutes = 0")
    sweep(planned(*once), Booting(falling), store)
    newest = Booting(falling)
    said = sweep(planned("repeats = 0", cells=BOTH[2:]), newest, store)
    assert {version for version, _ in newest.extra} == {"1.0.0", "1.1.0"}
    assert "more boots of 1.0.0 and 1.1.0" in said[0]


def test_a_newer_revision_that_the_plan_lacks_is_left_alone(planned: Callable[..., Plan], store: Store) -> None:
    sweep(planned("repeats = 0", "minutes = 0"), Booting(falling), store)
    older = Booting(falling)
    assert sweep(planned("repeats = 0", cells=BOTH[:2]), older, store) == [] and older.boots == []
