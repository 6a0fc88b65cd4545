"""A bound on the memory of a server that is a process of this host: what can be promised without root or cgroups."""

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import psutil

GIB = 2**30
_LOOK_S = 0.5


class MemoryWatch:
    """Looks twice a second and kills the group of the process `leader` when it holds more than `limit` bytes.

    `exceeded` then says so. A child that left its session and lost its parent is not counted, and what is taken within
    half a second may exceed the limit: a container's limit is hard, this one is not.
    """

    def __init__(self, leader: int, limit: float | None) -> None:
        self.exceeded = ""
        self._leader = leader
        self._limit = limit
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory-watch", daemon=True)
        if limit is not None:
            self._thread.start()

    def end(self) -> None:
        """Stop looking. Call it before the leader's pid may be another's."""
        self._ending.set()
        if self._limit is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._ending.wait(_LOOK_S):
            if self._limit is not None and (held := held_by(self._leader)) > self._limit:
                limit, much = self._limit / GIB, held / GIB
                self.exceeded = f"its processes held {much:.2f} GiB, more than [venv] memory_gib = {limit:g}"
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._leader, signal.SIGKILL)
                return


def held_by(leader: int) -> int:
    """Bytes that the session of `leader` and its descendants hold; memory that several share counts once."""
    found = {p.pid for p in psutil.process_iter() if _session(p.pid) == leader}
    with suppress(psutil.Error):
        found |= {p.pid for p in psutil.Process(leader).children(recursive=True)}
    return sum(map(_share, found))


def _session(pid: int) -> int | None:
    with suppress(OSError):
        return os.getsid(pid)
    return None


def _share(pid: int) -> int:
    """The proportional set size, 0 for the ended."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
