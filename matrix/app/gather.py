"""Finds out what the config's names mean on this machine: versions, model files, prompts, hardware."""

from dataclasses import replace
from pathlib import Path

from matrix.app.folders import cache_dir
from matrix.app.revisions import clone_of, revisions
from matrix.app.secret_env import passed
from matrix.app.sites import site_folder
from matrix.app.source import Source
from matrix.core.errors import ConfigError
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.workload import Prompt, Workload
from matrix.plan.config import ModelTable, WorkloadTable
from matrix.plan.expand import Inputs
from matrix.probes.workloads import by_kind, load_prompts_file, load_workload, workload_names
from matrix.sources import hardware, hub, sight, weights

__all__ = ["Source", "gather"]


def gather(source: Source, executor: str, there: Hardware | None = None) -> Inputs:
    """All that expansion needs; the cells are for the hardware `there`, this host's unless given.

    Raises ConfigError with file, line and key; InfraError when an index is out of reach.
    """
    config = source.config
    return Inputs(
        versions={name: revisions(source, name, table) for name, table in config.engines.items()},
        targets={name: _model(source, "targets", name, table) for name, table in config.targets.items()},
        drafts={name: _model(source, "drafts", name, table) for name, table in config.drafts.items()},
        workloads=_workloads(source),
        hardware=there or hardware.detect(),
        executor=executor,
        sites={name: str(site_folder(source, name, t)) for name, t in config.engines.items() if t.site is not None},
        clones={name: clone_of(source, name, table) for name, table in config.engines.items()},
        passed={name: passed(source, name) for name in config.engines},
    )


def _model(source: Source, kind: str, name: str, table: ModelTable) -> Model:
    if table.hub is not None:
        # A commit pins the content, so nothing is fetched to plan; `matrix.app.staging` does that before a sweep runs.
        folder, commit = hub.locate(table.hub, table.revision)
        pinned = f"{table.hub}@{commit}"
        return _seen(Model(name, str(folder), pinned, f"hub {pinned}"))
    path = source.resolved(table.path or "", kind, name, "path")
    where = source.where(kind, name, "path")
    if not path.is_dir():
        fault = "is not a folder" if path.exists() else "does not exist"
        raise ConfigError(f"`{path}` {fault}", hint="give the folder that holds config.json", where=where)
    if not (path / "config.json").is_file():
        raise ConfigError(f"`{path}` holds no config.json", hint="give the folder that holds the model", where=where)
    return _hashed(source, Model(name, str(path), table.path or ""), kind)


def _hashed(source: Source, model: Model, kind: str) -> Model:
    return _seen(replace(model, content=weights.content_hash(Path(model.path), cache_dir())))


def _seen(model: Model) -> Model:
    folder = Path(model.path)
    return replace(model, images=sight.sees_images(folder), architecture=sight.architecture(folder))


def _workloads(source: Source) -> dict[str, Workload]:
    found = [w for name, table in source.config.workloads.items() for w in _variants(source, name, table)]
    return {workload.name: workload for workload in found}


def _variants(source: Source, name: str, table: WorkloadTable) -> list[Workload]:
    """One workload for each kind of prompt and each number of requests in flight: none of them is ever pooled."""
    return [
        Workload(
            name=f"{title}@{concurrency}" if place else title,
            prompts=prompts,
            max_tokens=table.max_tokens,
            concurrency=concurrency,
            repetitions=table.repetitions,
            kind=kind,
            uptime_min=table.uptime_min,
        )
        for title, kind, prompts in by_kind(name, _prompts(source, name, table))
        for place, concurrency in enumerate(table.concurrencies)
    ]


def _prompts(source: Source, name: str, table: WorkloadTable) -> tuple[Prompt, ...]:
    if table.prompts in workload_names():
        return load_workload(table.prompts, limit=table.limit).prompts
    return _own_prompts(source, name, table)


def _own_prompts(source: Source, name: str, table: WorkloadTable) -> tuple[Prompt, ...]:
    path = source.resolved(table.prompts, "workloads", name, "prompts")
    if not path.is_file():
        known = ", ".join(workload_names())
        hint = f"built in: {known}; or give the path of a JSONL file"
        raise ConfigError(
            f"no prompts called `{table.prompts}`", hint=hint, where=source.where("workloads", name, "prompts")
        )
    return load_prompts_file(path)[: table.limit]
