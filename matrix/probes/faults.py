"""What can go wrong when an engine is asked something, each kind with the outcome that it stands for."""

from enum import StrEnum

from matrix.core.errors import MatrixError
from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit


class Fault(StrEnum):
    """How an answer failed."""

    REFUSED = "connection-refused"
    BROKEN = "connection-broken"
    TIMEOUT = "timeout"
    STATUS = "http-status"
    TOO_LARGE = "too-large"
    BAD_JSON = "bad-json"
    BAD_SHAPE = "bad-shape"
    EMPTY = "empty"
    BAD_COUNT = "bad-count"

    @property
    def outcome(self) -> Outcome:
        """The outcome of a run that ends by this fault after its first finished generation."""
        return _OUTCOMES.get(self, Outcome.MEASURED_NOTHING)


_BUSY = (408, 425, 429)
# Not found too: some servers open their port before all routes stand.
_LATER = (404, *_BUSY)
_OUTCOMES = {
    Fault.REFUSED: Outcome.SERVE_CRASH,
    Fault.BROKEN: Outcome.SERVE_CRASH,
    Fault.STATUS: Outcome.SERVE_CRASH,
    Fault.TIMEOUT: Outcome.HANG,
}


class EngineFaultError(MatrixError):
    """The engine gave no usable answer. `status` is the HTTP status where there was one."""

    def __init__(self, fault: Fault, cause: str, *, hint: str = "", status: int | None = None) -> None:
        super().__init__(cause, hint=hint)
        self.fault = fault
        self.status = status

    @property
    def outcome(self) -> Outcome:
        return self.fault.outcome

    @property
    def busy(self) -> bool:
        """True when the server, or what stands before it, put the request off: it says nothing of the engine."""
        return self.fault is Fault.STATUS and self.status in _BUSY

    @property
    def conclusive(self) -> bool:
        """True when the server did answer, and asking again would hardly give another answer."""
        if self.fault is Fault.STATUS:
            return self.status is not None and self.status < 500 and self.status not in _LATER
        return self.fault not in (Fault.REFUSED, Fault.BROKEN, Fault.TIMEOUT)


class NotReadyError(MatrixError):
    """No generation was ever finished. `exit_` tells how the server ended, None when it still runs.

    `outcome` is a hang when time ran out, else a load crash: the server ended, or what it answers is no generation.
    """

    def __init__(
        self, cause: str, *, hint: str = "", exit_: ServerExit | None = None, outcome: Outcome = Outcome.LOAD_CRASH
    ) -> None:
        super().__init__(cause, hint=hint)
        self.exit_ = exit_
        self.outcome = outcome
