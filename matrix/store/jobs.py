"""The job: one cell of a sweep, waiting for a worker or held by one."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

from sqlalchemy import Connection, Row

from matrix.core.cell import Cell
from matrix.store.cellio import cell_from_json
from matrix.store.contents import get_workload


class JobStatus(StrEnum):
    QUEUED = "queued"
    CLAIMED = "claimed"
    DONE = "done"
    CANCELLED = "cancelled"


class Priority(IntEnum):
    """Whose jobs go first: somebody waits for the first kind, nobody looks at the last before morning."""

    INTERACTIVE = 0
    BISECTION = 10
    NIGHTLY = 20


@dataclass(frozen=True, slots=True)
class Job:
    """`attempts` counts claims, `lost` those whose owner died. `note` says why a job ended without a run of its own."""

    job_id: int
    sweep_id: int
    content_key: str
    cell: Cell
    status: JobStatus
    owner: str | None
    attempts: int
    lost: int
    run_id: str | None
    note: str


def job_from_row(conn: Connection, row: Row[Any]) -> Job:
    """The job of a whole row of `jobs`."""
    return Job(
        job_id=row.id,
        sweep_id=row.sweep_id,
        content_key=row.content_key,
        cell=cell_from_json(row.cell, lambda content: get_workload(conn, content)),
        status=JobStatus(row.status),
        owner=row.owner,
        attempts=row.attempts,
        lost=row.lost,
        run_id=row.run_id,
        note=row.note,
    )
