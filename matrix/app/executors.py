"""Which executor serves a sweep."""

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from matrix.app.folders import cache_dir
from matrix.core.errors import EnvironmentMismatchError
from matrix.core.hardware import Hardware
from matrix.core.ports import Executor
from matrix.executors.docker import DockerExecutor, DockerSettings, daemon_answers
from matrix.executors.on_ray import RayExecutor, Wants
from matrix.executors.venv import VenvExecutor
from matrix.plan.artifacts import ArtifactsTable
from matrix.plan.config import Config, DockerTable, LimitsTable, VenvTable
from matrix.plan.install import default_gpus
from matrix.plan.ray import RayTable
from matrix.sources import hardware, pip_settings

_MIB, _GIB = 2**20, 2**30


class Tables(Protocol):
    """The tables of a config that executors are made from."""

    @property
    def docker(self) -> DockerTable: ...

    @property
    def venv(self) -> VenvTable: ...

    @property
    def limits(self) -> LimitsTable: ...

    @property
    def artifacts(self) -> ArtifactsTable: ...

    @property
    def ray(self) -> RayTable: ...


@dataclass(frozen=True, slots=True)
class Defaults:
    """The tables of a file that sets nothing."""

    docker: DockerTable = field(default_factory=lambda: DockerTable.model_validate({}))
    venv: VenvTable = field(default_factory=VenvTable)
    limits: LimitsTable = field(default_factory=lambda: LimitsTable.model_validate({}))
    artifacts: ArtifactsTable = field(default_factory=lambda: ArtifactsTable.model_validate({}))
    ray: RayTable = field(default_factory=lambda: RayTable.model_validate({}))


def make_executor(name: str, tables: Tables, config_dir: Path, state_dir: Path) -> Executor:
    """The executor called `name`; `auto` is docker when a daemon answers, else venv, and never `ray`."""
    if name == "ray":
        return _on_ray(tables, config_dir.resolve())
    cap = tables.limits.log_mib * _MIB
    if name == "auto":
        name = "docker" if daemon_answers() else "venv"
    if name == "venv":
        memory = tables.venv.memory_gib
        limit = memory * _GIB if memory is not None else None
        return VenvExecutor(cache_dir(), state_dir, settings=pip_settings.read, log_cap=cap, memory=limit)
    if not daemon_answers():
        raise EnvironmentMismatchError("no Docker daemon answers", hint='start one, or set executor = "venv"')
    settings = replace(_settings(tables.docker, cap, config_dir), mirror=tables.artifacts.mirror or "")
    return DockerExecutor(cache_dir(), state_dir, settings, index=pip_settings.read)


def hardware_for(executor: Executor, config: Config) -> Hardware:
    """The hardware class of its cells: this host's, or that of a node which can take them."""
    if not isinstance(executor, RayExecutor):
        return hardware.detect()
    return executor.ask(hardware.detect, max(map(default_gpus, config.engines.values())))


def _on_ray(tables: Tables, config_dir: Path) -> RayExecutor:
    table = tables.ray
    copied = Defaults(tables.docker, tables.venv, tables.limits, tables.artifacts)
    there = partial(_on_node, table.executor, copied, config_dir)
    return RayExecutor(table.executor, Wants(table.address, table.cpus, table.resources), there)


def _on_node(name: str, tables: Tables, config_dir: Path) -> Executor:
    """The same executor on the node that calls this; its records of servers lie in the node's cache folder."""
    return make_executor(name, tables, config_dir, cache_dir() / "ray")


def _settings(table: DockerTable, log_cap: int, config_dir: Path) -> DockerSettings:
    return DockerSettings(
        base_image=table.base_image,
        wheel_dir=config_dir / table.wheel_dir if table.wheel_dir else None,
        ca_bundle=config_dir / table.ca_bundle if table.ca_bundle else None,
        memory_gib=table.memory_gib,
        shm_gib=table.shm_gib,
        pids_limit=table.pids,
        network=None if table.network == "bridge" else table.network,
        log_cap=log_cap,
    )
