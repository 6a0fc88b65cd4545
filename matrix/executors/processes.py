"""Finding and ending processes by a mark in their environment, which children inherit wherever they move.

Process groups and parents are not enough: a child that calls setsid or forks twice leaves both.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import psutil

from matrix.core.errors import InfraError

RUN = "SPECMATRIX_RUN"
OWNER = "SPECMATRIX_OWNER"
BUILD = "SPECMATRIX_BUILD"


def marked(test: Callable[[Mapping[str, str]], bool]) -> list[psutil.Process]:
    """Running processes, other than this one, whose environment passes `test`; unreadable ones are left out.

    Processes of other PID namespaces (containers) are left out too: their owners cannot be looked up from here.
    """
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and test(process.environ()) and _same_namespace(process.pid):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def end(processes: Callable[[], Iterable[psutil.Process]], within_s: float = 15.0) -> int:
    """SIGKILL whatever `processes` returns until it returns none; how many were killed. Raises InfraError after that.

    Asking again each time catches children forked between the look and the kill.
    """
    killed: set[int] = set()
    deadline = time.monotonic() + within_s
    while left := list(processes()):
        for process in left:
            _kill(process)
            killed.add(process.pid)
        if time.monotonic() > deadline:
            pids = ", ".join(str(p.pid) for p in left)
            raise InfraError(f"processes {pids} do not end after SIGKILL", hint="look for a hung device or mount")
        time.sleep(0.02)
    return len(killed)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.Error:
        return


def _same_namespace(pid: int) -> bool:
    links = Path("/proc/self/ns/pid"), Path(f"/proc/{pid}/ns/pid")
    return not links[0].exists() or links[0].readlink() == links[1].readlink()
