"""One cell of a plan, and the key under which its run is known."""

from dataclasses import dataclass, replace

from matrix.core.cell import Cell
from matrix.core.recipe import LaunchPlan, Placement, Recipe
from matrix.engines.gpu_share import gpu_share
from matrix.engines.registry import adapter_for
from matrix.probes import PROBE_VERSION


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


def recipe_of(cell: Cell) -> Recipe:
    """How the cell's revision is installed."""
    return adapter_for(cell.revision.engine).recipe(cell)


def content_key(cell: Cell) -> str:
    """The cell's content key with its recipe and this probe's version."""
    return cell.content_key(recipe_of(cell).text, PROBE_VERSION)


def planned(cell: Cell) -> Planned:
    """The cell as one to do."""
    return Planned(cell, content_key(cell), None, None)


def at_boot(cell: Cell, boot: int) -> Planned:
    """The same cell to do at another boot ordinal."""
    return planned(replace(cell, boot=boot))


def gpu_count(cell: Cell) -> int:
    """How many GPUs a server of this cell takes: its parallel sizes multiplied, 0 on the CPU."""
    return _launch(cell).gpus


def share_of(cell: Cell) -> float | None:
    """The share of each GPU's memory that a server of this cell asks for; None where it is not known."""
    return gpu_share(cell, _launch(cell).args)


def _launch(cell: Cell) -> LaunchPlan:
    return adapter_for(cell.revision.engine).launch(cell, Placement("", None, "", 0, ""))
