"""Finding and ending processes by a mark in their environment, which children inherit wherever they move.

Process groups and parents are not enough: a child that calls setsid or forks twice leaves both.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from matrix.core.errors import InfraError

RUN = "SPECMATRIX_RUN"
OWNER = "SPECMATRIX_OWNER"
BUILD = "SPECMATRIX_BUILD"

_SHM = "/dev/shm/"  # noqa: S108


def marked(test: Callable[[Mapping[str, str]], bool]) -> list[psutil.Process]:
    """Running processes, other than this one, whose environment passes `test`; unreadable ones are left out.

    Processes of other PID namespaces (containers) are left out too: their owners cannot be looked up from here.
    """
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and test(process.environ()) and _same_namespace(process.pid):
                found.append(process)
    return found


def end(
    processes: Callable[[], Iterable[psutil.Process]], known: Iterable[psutil.Process] = (), within_s: float = 60.0
) -> int:
    """SIGKILL whatever `processes` returns, and the `known`, until all are gone; returns how many there were.

    Asking again each time catches children forked between the look and the kill. A dying process loses its environment
    before its pid, so each one seen is waited for. Shared memory that only they used is removed.
    Raises InfraError when one outlives `within_s` seconds.
    """
    seen = set(known)
    segments: set[Path] = set()
    deadline = time.monotonic() + within_s
    while True:
        found = set(processes())
        seen |= found
        left = {process for process in seen if running(process)}
        if not left and not found:
            break
        for process in left:
            segments |= shared_memory(process)
            with suppress(psutil.Error):
                process.kill()
        if time.monotonic() > deadline:
            pids = ", ".join(str(process.pid) for process in left)
            raise InfraError(f"processes {pids} do not end after SIGKILL", hint="look for a hung device or mount")
        time.sleep(0.02)
    _remove_shared_memory(segments)
    return len(seen)


def _remove_shared_memory(segments: set[Path]) -> None:
    """Remove what killed processes mapped and nobody else does; who ends in an orderly way removes its own."""
    left = {segment for segment in segments if segment.exists()}
    if left:
        for process in psutil.process_iter():
            left -= shared_memory(process)
    for segment in left:
        with suppress(OSError):
            segment.unlink()


def shared_memory(process: psutil.Process) -> set[Path]:
    """Files of POSIX shared memory that a process maps."""
    with suppress(OSError):
        maps = Path(f"/proc/{process.pid}/maps").read_text(errors="replace").splitlines()
        return {Path(line.split(maxsplit=5)[5]) for line in maps if _SHM in line}
    return set()


def running(process: psutil.Process) -> bool:
    """False once it has ended, even if its parent has not collected it yet."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def group(pid: int) -> int | None:
    """The process group that a process belongs to, None for the ended."""
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _same_namespace(pid: int) -> bool:
    links = Path("/proc/self/ns/pid"), Path(f"/proc/{pid}/ns/pid")
    return not links[0].exists() or links[0].readlink() == links[1].readlink()
