"""Which executor serves a sweep."""

from pathlib import Path

from matrix.app.folders import cache_dir
from matrix.core.errors import EnvironmentMismatchError
from matrix.core.ports import Executor
from matrix.executors.docker import DockerExecutor, DockerSettings, daemon_answers
from matrix.executors.venv import VenvExecutor
from matrix.plan.config import DockerTable
from matrix.sources import pip_settings


def make_executor(name: str, docker: DockerTable, config_dir: Path, state_dir: Path) -> Executor:
    """The executor called `name`; `auto` is docker when a daemon answers, else venv."""
    if name == "auto":
        name = "docker" if daemon_answers() else "venv"
    if name == "venv":
        return VenvExecutor(cache_dir(), state_dir, settings=pip_settings.read)
    if not daemon_answers():
        raise EnvironmentMismatchError("no Docker daemon answers", hint='start one, or set executor = "venv"')
    return DockerExecutor(cache_dir(), state_dir, _settings(docker, config_dir), index=pip_settings.read)


def _settings(table: DockerTable, config_dir: Path) -> DockerSettings:
    return DockerSettings(
        base_image=table.base_image,
        wheel_dir=config_dir / table.wheel_dir if table.wheel_dir else None,
        ca_bundle=config_dir / table.ca_bundle if table.ca_bundle else None,
        memory_gib=table.memory_gib,
        shm_gib=table.shm_gib,
        pids_limit=table.pids,
    )
