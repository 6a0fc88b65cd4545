"""Fetches the hub models that a plan's cells need, once, before anything is built or served."""

from matrix.app.planning import Plan
from matrix.core.model import Model
from matrix.sources import hub

_MARK = "hub "


def stage_models(plan: Plan) -> list[str]:
    """Fetch what is missing; returns the sources fetched or found. Raises ConfigError or InfraError as the hub does."""
    models = [model for p in plan.todo for model in (p.cell.target, p.cell.spec.draft) if model is not None]
    wanted = sorted({model.source for model in models if _from_hub(model)})
    for source in wanted:
        repo, _, commit = source.rpartition("@")
        hub.stage(repo, commit)
    return wanted


def _from_hub(model: Model) -> bool:
    return (model.content or "").startswith(_MARK)
