"""On what terms a sweep runs: who may help, what goes first, how much it may take, and when it must end."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from matrix.stats.words import count
from matrix.store import Priority

PAUSE_S = 30.0
"""Before the second try of a cell that the machine failed; each further pause is four times as long."""


@dataclass(frozen=True, slots=True)
class Terms:
    """No limits unless given. `until` is the moment (Unix seconds) at which the last cell must have ended,
    `gpu_seconds` the sum over its cells of GPUs times seconds, `tries` the runs of a cell that the machine fails.

    `stopping` is asked before each cell: True ends the sweep after those under way. `patience_s` is how long a run that
    was made waits to be stored while the database or its disk is out of order.
    """

    priority: Priority = Priority.INTERACTIVE
    shared: bool = False
    tries: int = 1
    until: float | None = None
    gpu_seconds: float | None = None
    stopping: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.time
    patience_s: float = 60.0

    @property
    def kept(self) -> dict[str, Any]:
        """What a helping worker must know, as JSON data."""
        return {"tries": self.tries, "until": self.until, "gpu_seconds": self.gpu_seconds}

    def refusal(self, seconds: float, gpus: int, spent: float) -> str:
        """Why no cell of so many seconds and GPUs may start after `spent` GPU seconds; empty when it may."""
        if self.stopping():
            return STOPPING
        if self.until is not None and self.clock() + seconds > self.until:
            left = max(0.0, self.until - self.clock())
            return f"no time is left for it tonight: it takes about {_min(seconds)}, {_min(left)} remain"
        if self.gpu_seconds is not None and spent + seconds * gpus > self.gpu_seconds:
            return f"the night's {self.gpu_seconds / 3600:.1f} GPU hours are spent"
        return ""

    def again_at(self, attempts: int) -> float | None:
        """When a cell that the machine failed at this attempt is tried again; None when that was the last."""
        return self.clock() + PAUSE_S * 4 ** (attempts - 1) if attempts < self.tries else None


STOPPING = "the service was told to stop"
FREE = Terms()


def terms_from(kept: Mapping[str, Any], stopping: Callable[[], bool]) -> Terms:
    """The terms that a sweep's row tells of; those of a row without any are free."""
    return Terms(
        shared=True,
        tries=int(kept.get("tries") or 1),
        until=kept.get("until"),
        gpu_seconds=kept.get("gpu_seconds"),
        stopping=stopping,
        patience_s=float("inf"),
    )


def _min(seconds: float) -> str:
    return count(max(1, round(seconds / 60)), "minute")
