"""Fetches the hub models that planned cells need, once, before anything is built or served."""

from collections.abc import Collection, Iterable
from functools import partial

from matrix.app.planned import Planned
from matrix.core.cell import Cell
from matrix.core.model import Model
from matrix.core.ports import Progress
from matrix.sources import hub

_MARK = "hub "


def stage_models(planned: Iterable[Planned], progress: Progress, staged: Collection[str] = ()) -> list[str]:
    """Fetch what is missing; returns the sources fetched or found. Raises ConfigError or InfraError as the hub does.

    Nothing is fetched for cells that cannot run, nor again of what is `staged`. How far a download is is told as the
    phase `fetch` of the first cell that needs it.
    """
    wanted: dict[str, Cell] = {}
    for cell in (p.cell for p in planned if p.unsupported is None):
        for model in (cell.target, cell.spec.draft):
            if model is not None and _from_hub(model) and model.source not in staged:
                wanted.setdefault(model.source, cell)
    for source, cell in sorted(wanted.items(), key=lambda item: item[0]):
        repo, _, commit = source.rpartition("@")
        hub.stage(repo, commit, partial(_tell, progress, cell, repo))
    return sorted(wanted)


def _tell(progress: Progress, cell: Cell, repo: str, text: str) -> None:
    progress.phase(cell, "fetch", f"{repo}: {text}")


def _from_hub(model: Model) -> bool:
    return (model.content or "").startswith(_MARK)
