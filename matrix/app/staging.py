"""Fetches the hub models that planned cells need, once, before anything is built or served."""

from collections.abc import Iterable

from matrix.app.planned import Planned
from matrix.core.model import Model
from matrix.sources import hub

_MARK = "hub "


def stage_models(planned: Iterable[Planned]) -> list[str]:
    """Fetch what is missing; returns the sources fetched or found. Raises ConfigError or InfraError as the hub does.

    Nothing is fetched for cells that cannot run.
    """
    able = [p.cell for p in planned if p.unsupported is None]
    models = [model for cell in able for model in (cell.target, cell.spec.draft) if model is not None]
    wanted = sorted({model.source for model in models if _from_hub(model)})
    for source in wanted:
        repo, _, commit = source.rpartition("@")
        hub.stage(repo, commit)
    return wanted


def _from_hub(model: Model) -> bool:
    return (model.content or "").startswith(_MARK)
