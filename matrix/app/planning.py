"""A config and a selection become a plan: cells to run, cells known, cells left out and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrix.app.existence import check_versions
from matrix.app.gather import Source, gather
from matrix.app.launchable import check_flags
from matrix.app.published import Published, look_up
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.core.misfit import misfit
from matrix.core.ports import Executor
from matrix.core.recipe import Recipe
from matrix.engines.registry import adapter_for
from matrix.plan.estimate import Estimate, Past, estimate
from matrix.plan.expand import Exclusion, expand
from matrix.probes import PROBE_VERSION
from matrix.store import Store


@dataclass(frozen=True, slots=True)
class Planned:
    """One cell with its content key.

    `known` is the run that measured it, `unsupported` why the release or the target cannot run it.
    """

    cell: Cell
    content_key: str
    known: str | None
    unsupported: str | None

    @property
    def to_build(self) -> bool:
        """True for a cell whose artifact a sweep would need."""
        return self.known is None and self.unsupported is None


@dataclass(frozen=True, slots=True)
class Plan:
    source: Source
    executor: str
    cells: tuple[Planned, ...]
    excluded: tuple[Exclusion, ...]
    estimate: Estimate
    images: tuple[Published, ...] = ()

    @property
    def todo(self) -> list[Planned]:
        """Cells that must run."""
        return [p for p in self.cells if p.known is None]


def make_plan(
    source: Source, executor: Executor, store: Store | None, selectors: Sequence[str] = (), *, force: bool = False
) -> Plan:
    """What a sweep would do. Runs nothing.

    Without a store nothing is known yet; `force` measures known cells once more.

    Raises ConfigError for a faulty file or selector, InfraError when the package index is out of reach.
    """
    expansion = expand(source.config, gather(source, executor.name), selectors)
    if not expansion.cells and not expansion.excluded:
        raise ConfigError("this selects no cell", hint="`matrix plan` without a selection lists all of them")
    check_flags(source, expansion.cells)
    cells = _planned(expansion.cells, store)
    if force and store is not None:
        cells = [_again(p, store) if p.known else p for p in cells]
    images = look_up([_recipe(p.cell) for p in cells if p.to_build], executor)
    cells = [_unless_absent(p, images) for p in cells]
    check_versions(source, [p.cell for p in cells if p.to_build], executor)
    return Plan(source, executor.name, tuple(cells), expansion.excluded, _estimate(cells, executor, store), images)


def _unless_absent(planned: Planned, images: Sequence[Published]) -> Planned:
    """A cell whose image is not published cannot run."""
    image = _recipe(planned.cell).image
    why = next((str(i) for i in images if i.absent and i.image == image), None)
    return replace(planned, unsupported=planned.unsupported or why) if planned.to_build else planned


def _recipe(cell: Cell) -> Recipe:
    return adapter_for(cell.revision.engine).recipe(cell)


def plan_cells(source: Source, executor: Executor, store: Store, cells: Sequence[Cell]) -> Plan:
    """A plan of exactly these cells, in this order. Whether an index has their versions is not asked."""
    planned = _planned(cells, store)
    return Plan(source, executor.name, tuple(planned), (), _estimate(planned, executor, store))


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


def content_key(cell: Cell) -> str:
    """The cell's content key with its recipe and this probe's version."""
    return cell.content_key(_recipe(cell).text, PROBE_VERSION)


def _again(planned: Planned, store: Store) -> Planned:
    """The same cell at its next free boot ordinal, so that earlier runs stay."""
    cell = replace(planned.cell, boot=store.runs.next_boot(planned.cell))
    return Planned(cell, content_key(cell), None, planned.unsupported)


def _estimate(cells: Sequence[Planned], executor: Executor, store: Store | None) -> Estimate:
    todo = [p.cell for p in cells if p.to_build]
    recipes = [_recipe(cell) for cell in todo]
    built = {recipe.hash: executor.built(recipe) for recipe in recipes}
    return estimate(todo, built, store.read.past() if store is not None else Past())
