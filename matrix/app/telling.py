"""Tells of a run's phases while it lasts."""

from contextlib import suppress

from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.outcome import Outcome
from matrix.core.ports import Progress
from matrix.store import Store, redact


class Telling:
    """Tells the person and the job's row, so that the dashboard shows the same phase."""

    def __init__(self, progress: Progress, store: Store, job_id: int, owner: str) -> None:
        self._progress = progress
        self._store = store
        self._job_id = job_id
        self._owner = owner

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        self._progress.phase(cell, phase, redact(detail))
        # A database in trouble must not keep the server from being stopped; saving the run tells of it.
        with suppress(InfraError):
            self._store.queue.set_phase(self._job_id, self._owner, phase, detail)

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        self._progress.done(cell, outcome, redact(reason))
