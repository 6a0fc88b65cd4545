"""Removes what killed processes left: their servers, scratch folders and half-made environments."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from matrix.executors import owner
from matrix.executors.processes import OWNER, RUN, end, group, marked
from matrix.executors.venv_build import discard
from matrix.executors.venv_paths import Environment
from matrix.executors.venv_record import Record, read


def reap(state: Path, envs: Path) -> list[str]:
    """One line for each thing removed. What a live owner has, here or on another host, is left alone."""
    return [*_servers(), *_records(state), *_environments(envs)]


def left() -> list[str]:
    """Numbers of the runs whose servers still go on though their owner has ended; nothing is stopped."""
    return sorted({run for _, run in _orphans()})


def _servers() -> Iterator[str]:
    """Stop orphans wherever their records lie: the mark in their environment says all."""
    for run_id in left():
        count = end(partial(_of_run, run_id))
        yield f"stopped the server of run {run_id} ({count} processes), whose owner had ended"


def _of_run(run_id: str) -> list[psutil.Process]:
    return [process for process, run in _orphans() if run == run_id]


def _orphans() -> list[tuple[psutil.Process, str]]:
    found = []
    for process in marked(lambda environ: RUN in environ and not owner.alive(environ.get(OWNER, ""))):
        with suppress(psutil.Error, OSError):
            found.append((process, process.environ()[RUN]))
    return found


def _records(state: Path) -> Iterator[str]:
    for path in sorted((state / "servers").glob("*.json")):
        record = read(path)
        if record is not None and owner.alive(record.owner):
            continue
        if record is not None:
            end(partial(_group, record))
            record.remove(path.parent)
        path.unlink(missing_ok=True)
        yield f"removed the record and the scratch folder of run {path.stem}"


def _group(record: Record) -> list[psutil.Process]:
    """What is left of a server that wiped the mark from its environment; none when its pid is another's by now."""
    try:
        if record.pid is None or owner.start_time(record.pid) != record.starttime:
            return []
        return [p for p in psutil.process_iter() if group(p.pid) == record.pid]
    except psutil.Error:
        return []


def _environments(envs: Path) -> Iterator[str]:
    """Remove half-made environments; a folder that no build of ours has locked is somebody else's."""
    for lock in sorted(envs.glob("*.lock")):
        env = Environment(lock.with_suffix(""))
        if not env.half_made():
            continue
        try:
            with FileLock(env.lock, timeout=0):
                if env.half_made():
                    discard(env)
                    yield f"removed the half-made environment {env.path.name}"
        except Timeout:
            continue
