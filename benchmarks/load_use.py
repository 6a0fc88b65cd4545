"""Who kept the processors busy while a part of `benchmarks.load` ran: the server, this client, or others."""

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Use:
    """Milliseconds of processor time up to a moment; `busy` of all programs, `stolen` what other machines took."""

    at: float
    server: float
    client: float
    busy: float
    stolen: float

    @classmethod
    def now(cls, server: int) -> "Use":
        """`server` is a process number."""
        busy, stolen = _machine_ms()
        return cls(time.monotonic() * 1000, processor_ms(server), time.process_time() * 1000, busy, stolen)

    def since(self, before: "Use", answers: int, stored: float = 0.0) -> str:
        """One line. `stored`: what of the client's time stored runs, which is the store's work and not a question's."""
        cores = os.cpu_count() or 1
        span = (self.at - before.at) * cores
        server, client = self.server - before.server, self.client - before.client
        others = max(self.busy - before.busy - server - client, 0.0)
        stolen = self.stolen - before.stolen
        storing = f" (of which storing runs {stored:.0f} ms)" if stored else ""
        return (
            f"  server {server / max(answers, 1):.1f} ms of processor an answer, {server / span:.0%} of {cores} cores; "
            f"client {client / span:.0%}{storing}; others {others / span:.0%}, stolen {stolen / span:.0%}; "
            f"load average {os.getloadavg()[0]:.1f}"
        )


def processor_ms(pid: int) -> float:
    """Milliseconds that the process has kept processors busy."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return _ms(int(fields[11]) + int(fields[12]))


def forget(path: Path) -> None:
    """Take the file out of the system's memory. Before anything here opens it: closing it would end SQLite's locks."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _machine_ms() -> tuple[float, float]:
    user, nice, system, _idle, _waiting, irq, soft, stolen = map(int, Path("/proc/stat").read_text().split()[1:9])
    return _ms(user + nice + system + irq + soft), _ms(stolen)


def _ms(ticks: int) -> float:
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")
