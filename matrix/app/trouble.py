"""What a service does when its machine fails it: tells once, and tries again after a growing pause."""

import errno
import time
from collections.abc import Callable
from dataclasses import dataclass

from matrix.core.errors import InfraError, MatrixError, Where

SHORTEST_S, LONGEST_S = 10.0, 300.0
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(slots=True)
class Trouble:
    """One stretch of failures, from the first `meet` to `end`."""

    now: Callable[[], float] = time.monotonic
    _since: float | None = None
    _next: float = float("-inf")
    _pause: float = 0.0
    _told: str = ""

    def over(self) -> bool:
        """True when nothing failed last, or its pause has passed."""
        return self.now() >= self._next

    def lasted(self) -> float:
        """Seconds since the first failure of the stretch; 0 outside of one."""
        return 0.0 if self._since is None else self.now() - self._since

    def meet(self, error: MatrixError | OSError) -> str:
        """Begin the next pause; what is to be told, empty for what was told last."""
        now = self.now()
        self._since = now if self._since is None else self._since
        self._pause = min(LONGEST_S, 2 * self._pause or SHORTEST_S)
        self._next = now + self._pause
        cause = str(explained(error))
        if cause == self._told:
            return ""
        self._told = cause
        return f"{cause}; trying again until it works, first in {self._pause:.0f} s"

    def end(self) -> None:
        """It worked."""
        self._since, self._next, self._pause, self._told = None, float("-inf"), 0.0, ""


def explained(error: MatrixError | OSError) -> MatrixError:
    """The same with its path and a next step, where the system's own words have none."""
    if isinstance(error, MatrixError):
        return error
    where = Where(file=str(error.filename)) if error.filename else None
    hint = "free space there" if error.errno in _FULL else "see that it exists, can be written and is no broken disk"
    return InfraError(error.strerror or str(error), hint=hint, where=where)
