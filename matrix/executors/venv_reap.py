"""Removes what killed processes left: their servers, scratch folders and half-made environments."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from matrix.executors import owner
from matrix.executors.processes import OWNER, RUN, end, marked
from matrix.executors.venv_build import discard
from matrix.executors.venv_paths import Environment
from matrix.executors.venv_record import read


def reap(state: Path, envs: Path) -> list[str]:
    """One line for each thing removed. What a live owner has, here or on another host, is left alone."""
    return [*_servers(), *_records(state), *_environments(envs)]


def _servers() -> Iterator[str]:
    orphans = _orphans()
    for run_id in sorted({_environ(p).get(RUN, "") for p in orphans} - {""}):
        killed = end(lambda run=run_id: [p for p in _orphans() if _environ(p).get(RUN) == run])  # type: ignore[misc]
        yield f"stopped the server of run {run_id} ({killed} processes), whose owner had ended"


def _orphans() -> list[psutil.Process]:
    return marked(lambda environ: OWNER in environ and RUN in environ and not owner.alive(environ[OWNER]))


def _environ(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}


def _records(state: Path) -> Iterator[str]:
    for path in sorted((state / "servers").glob("*.json")):
        record = read(path)
        if record is not None and owner.alive(record.owner):
            continue
        if record is not None:
            shutil.rmtree(record.scratch, ignore_errors=True)
        path.unlink(missing_ok=True)
        yield f"removed the record and the scratch folder of run {path.stem}"


def _environments(envs: Path) -> Iterator[str]:
    for path in sorted(p for p in envs.glob("*") if p.is_dir()):
        env = Environment(path)
        if env.marker() is not None:
            continue
        try:
            with FileLock(env.lock, timeout=0):
                if env.marker() is None:
                    discard(env)
                    yield f"removed the half-made environment {path.name}"
        except Timeout:
            continue
