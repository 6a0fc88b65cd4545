"""How a server ended, and why a run did not succeed."""

from dataclasses import dataclass

from matrix.core.outcome import Outcome


@dataclass(frozen=True, slots=True)
class ServerExit:
    """How a server process ended; `oom` when the kernel or the daemon says it was killed for memory."""

    code: int | None
    oom: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run did not succeed: one sentence, the next step, a stable signature, and the log lines that show it."""

    outcome: Outcome
    reason: str
    next_step: str = ""
    signature: str = ""
    excerpt: str = ""
