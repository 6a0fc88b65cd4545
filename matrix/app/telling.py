"""Tells of a run's phases while it lasts."""

from matrix.app.claim import Claim
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.core.ports import Progress
from matrix.store import redact


class Telling:
    """Tells the person and the job's row, so that the dashboard shows the same phase.

    A phase other than `stop` is where a run ends whose claim was lost: ClaimLostError.
    """

    def __init__(self, progress: Progress, claim: Claim) -> None:
        self._progress = progress
        self._claim = claim

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        self._claim.tell(phase, detail)
        if phase != "stop":
            self._claim.check()
        self._progress.phase(cell, phase, redact(detail))

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        self._progress.done(cell, outcome, redact(reason))
