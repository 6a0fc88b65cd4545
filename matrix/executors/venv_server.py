"""A server started from an environment, and its end."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from matrix.core.errors import InfraError
from matrix.core.ports import ServerExit
from matrix.executors.processes import RUN, end, group, marked, running
from matrix.executors.pump import Pump
from matrix.executors.venv_memory import MemoryWatch
from matrix.executors.venv_record import Record

_DRAIN_S = 10.0


class VenvServer:
    """See `matrix.core.ports.Server`. Its exit status stays uncollected until `stop`, which keeps its pid reserved."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        command: Sequence[str],
        url: str,
        record: Record,
        records: Path,
        grace_s: float,
        pump: Pump,
        watch: MemoryWatch,
    ) -> None:
        self.url = url
        self.command = tuple(command)
        self._process = process
        self._record = record
        self._records = records
        self._grace_s = grace_s
        self._pump = pump
        self._watch = watch
        self._oom_kills = oom_kills()
        self._lock = threading.RLock()
        self._exit: ServerExit | None = None
        self._stopped = False

    def poll(self) -> ServerExit | None:
        """None while it runs, else how it ended, with its log complete; InfraError when the log cannot be kept."""
        with self._lock:
            if self._exit is None and not self._stopped:
                if self._pump.error is not None:
                    raise InfraError(f"cannot write the server's log: {self._pump.error}", hint="is the disk full?")
                self._exit = self._ended()
            return self._exit

    def stop(self) -> ServerExit | None:
        """SIGTERM, the grace, SIGKILL to the group and every marked process, then the leftovers on disk."""
        with self._lock:
            if self._stopped:
                return self._exit
            self._exit = self._exit or self._ended()
            end(self._left, known=self._terminate())
            self._watch.end()
            self._pump.end(_DRAIN_S)
            code = self._process.wait()
            self._stopped = True
            self._exit = self._exit or ServerExit(code, detail="stopped by us")
            self._record.remove(self._records)
            return self._exit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def _ended(self) -> ServerExit | None:
        code = peek(self._process.pid)
        if code is None:
            return None
        self._pump.settle(_DRAIN_S)
        if self._watch.exceeded:
            return ServerExit(code, oom=True, detail=self._watch.exceeded)
        return how(code, self._oom_kills)

    def _terminate(self) -> set[psutil.Process]:
        """Ask all to end and wait for them; returns every process seen, ended or not."""
        seen = set(self._left())
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGTERM)
        deadline = time.monotonic() + self._grace_s
        while time.monotonic() < deadline and any(map(running, seen := seen | set(self._left()))):
            time.sleep(0.05)
        return seen

    def _left(self) -> list[psutil.Process]:
        """By the mark, and by the group for those that wiped it.

        The group's number is safe even after its leader ended: uncollected, that one keeps its pid.
        """
        marks = marked(lambda environ: environ.get(RUN) == self._record.run_id)
        return [*marks, *(p for p in psutil.process_iter() if group(p.pid) == self._process.pid and running(p))]


def peek(pid: int) -> int | None:
    """A child's exit status (negative: the signal that killed it) without collecting it; None while it runs."""
    info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if info is None:
        return None
    return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status


def how(code: int, oom_kills_before: int | None) -> ServerExit:
    """What an exit status that nobody here asked for says, with the kernel's count of out-of-memory kills.

    The count decides whatever the status: engines run their core as a child, and when that one is killed they end with
    any status, 0 too. Another program's kill on this host counts as well, which makes the run ambiguous, never a crash.
    """
    now = oom_kills()
    if now is None or oom_kills_before is None:
        oom = code == -signal.SIGKILL
        return ServerExit(code, oom, "killed, most likely for memory" if oom else _name(code))
    killed = now - oom_kills_before
    if killed > 0:
        return ServerExit(code, True, f"{_name(code)}; meanwhile the kernel killed {killed} process(es) for memory")
    return ServerExit(code, False, _name(code))


def oom_kills() -> int | None:
    """Out-of-memory kills on this host since it booted, None where the kernel does not say."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return None


def _name(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
