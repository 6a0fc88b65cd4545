"""A config and a selection become a plan: cells to run, cells known, cells left out and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from matrix.app.executors import hardware_for
from matrix.app.existence import check_versions
from matrix.app.gather import Source, gather
from matrix.app.launchable import check_flags
from matrix.app.planned import Planned, at_boot, content_key, recipe_of
from matrix.app.published import Published, look_up
from matrix.app.repeats import repeats
from matrix.app.thresholds import check_wildcards
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.core.misfit import misfit
from matrix.core.ports import Executor
from matrix.engines.registry import adapter_for
from matrix.plan.estimate import Estimate, Past, estimate
from matrix.plan.expand import Exclusion, expand
from matrix.sources import weights
from matrix.store import Store

__all__ = ["Plan", "Planned", "content_key", "make_plan", "plan_cells", "refreshed"]


@dataclass(frozen=True, slots=True)
class Plan:
    """`repeats` are boots of cells above beyond their first, which measure noise."""

    source: Source
    executor: str
    cells: tuple[Planned, ...]
    excluded: tuple[Exclusion, ...]
    estimate: Estimate
    images: tuple[Published, ...] = ()
    repeats: tuple[Planned, ...] = ()

    @property
    def todo(self) -> list[Planned]:
        """Cells that must run."""
        return [p for p in self.cells if p.known is None]

    @property
    def seconds(self) -> list[float]:
        """Expected seconds of each cell that must run, then of each repeat; 0 for a cell that cannot run."""
        costs = iter(self.estimate.each)
        return [next(costs, 0.0) if p.to_build else 0.0 for p in (*self.todo, *self.repeats)]


def make_plan(
    source: Source, executor: Executor, store: Store | None, selectors: Sequence[str] = (), *, force: bool = False
) -> Plan:
    """What a sweep would do. Runs nothing.

    Without a store nothing is known yet; `force` measures known cells once more.

    Raises ConfigError for a faulty file or selector, InfraError when the package index is out of reach.
    """
    inputs = gather(source, executor.name, hardware_for(executor, source.config))
    expansion = expand(source.config, inputs, selectors)
    check_wildcards(source, inputs)
    if not expansion.cells and not expansion.excluded:
        raise ConfigError("this selects no cell", hint="`matrix plan` without a selection lists all of them")
    check_flags(source, expansion.cells)
    cells = _planned(expansion.cells, store)
    if force and store is not None:
        cells = [_again(p, store) if p.known else p for p in cells]
    images = look_up([recipe_of(p.cell) for p in cells if p.to_build], executor)
    cells = [_unless_absent(p, images) for p in cells]
    check_versions(source, [p.cell for p in cells if p.to_build], executor)
    again = () if force else repeats(cells, store, source.config.judge.repeats)
    cost = _estimate([*cells, *again], executor, store)
    return Plan(source, executor.name, tuple(cells), expansion.excluded, cost, images, again)


def _unless_absent(planned: Planned, images: Sequence[Published]) -> Planned:
    """A cell whose image is not published cannot run."""
    image = recipe_of(planned.cell).image
    why = next((str(i) for i in images if i.absent and i.image == image), None)
    return replace(planned, unsupported=planned.unsupported or why) if planned.to_build else planned


def plan_cells(source: Source, executor: Executor, store: Store, cells: Sequence[Cell]) -> Plan:
    """A plan of exactly these cells, in this order. Whether an index has their versions is not asked."""
    planned = _planned(cells, store)
    return Plan(source, executor.name, tuple(planned), (), _estimate(planned, executor, store))


def refreshed(planned: Sequence[Planned], store: Store) -> list[Planned]:
    """The same cells, each with the run that has measured it by now."""
    found = store.runs.measured_keys([p.content_key for p in planned])
    return [replace(p, known=p.known or found.get(p.content_key)) for p in planned]


def _planned(cells: Sequence[Cell], store: Store | None) -> list[Planned]:
    """A cell that was refused once is to do again when it can run now: a rule or the machine has changed."""
    keys = [content_key(cell) for cell in cells]
    refused = [adapter_for(cell.revision.engine).unsupported(cell) or misfit(cell) for cell in cells]
    known = store.runs.measured_keys(keys) if store is not None else {}
    tried = store.runs.measured_keys(keys, tried=True) if store is not None else {}
    return [
        Planned(cell, key, (known if why else tried).get(key), why)
        for cell, key, why in zip(cells, keys, refused, strict=True)
    ]


def _again(planned: Planned, store: Store) -> Planned:
    """The same cell at its next free boot ordinal, so that earlier runs stay."""
    return replace(at_boot(planned.cell, store.runs.next_boot(planned.cell)), unsupported=planned.unsupported)


def _estimate(cells: Sequence[Planned], executor: Executor, store: Store | None) -> Estimate:
    todo = [p.cell for p in cells if p.to_build]
    recipes = [recipe_of(cell) for cell in todo]
    built = {recipe.hash: executor.built(recipe) for recipe in recipes}
    sizes = {path: weights.size(Path(path)) for path in {cell.target.path for cell in todo} if path}
    past = store.read.past() if store is not None else Past()
    return estimate(todo, built, past, [recipe.hash for recipe in recipes], sizes)
