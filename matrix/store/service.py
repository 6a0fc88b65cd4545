"""What the service itself holds: its queue, leases, holds and how much is stored."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from matrix.store.jobs import JobStatus
from matrix.store.order import followed
from matrix.store.tables import holds, jobs, leases, runs
from matrix.store.transactions import Transactions

_OPEN = (JobStatus.QUEUED.value, JobStatus.CLAIMED.value)
_JOB = ("id", "sweep_id", "label", "status", "phase", "phase_detail", "attempts", "claimed_at", "heartbeat_at")
_CLAIM = ("id", "sweep_id", "owner", "label", "phase", "claimed_at", "heartbeat_at")


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A waiting or held job; times are Unix seconds, None while nobody holds it."""

    job_id: int
    sweep_id: int
    label: str
    status: str
    phase: str | None
    phase_detail: str
    attempts: int
    claimed_at: float | None
    heartbeat_at: float | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A held job and the process that holds it; see `matrix.executors.owner`."""

    job_id: int
    sweep_id: int
    owner: str
    label: str
    phase: str | None
    claimed_at: float | None
    heartbeat_at: float | None


@dataclass(frozen=True, slots=True)
class HeldGpu:
    """A GPU in use by a run; after `expires_at` (Unix seconds) it may be taken over."""

    host: str
    gpu: int
    purpose: str
    taken_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class HeldArtifact:
    """An artifact that must be kept, and why."""

    kind: str
    ref: str
    reason: str
    bisection: int | None


@dataclass(frozen=True, slots=True)
class ServiceRows:
    """`waiting` and `held` count all open jobs, `jobs` names the first of them, held ones first."""

    runs: int
    waiting: int
    held: int
    jobs: list[QueuedJob]
    gpus: list[HeldGpu]
    artifacts: list[HeldArtifact]


class Service:
    """Only reads."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def rows(self, most: int = 50) -> ServiceRows:
        """What is held and waits now; at most `most` jobs are named."""
        with self._db.read() as conn:
            return _rows(conn, most)

    def artifacts(self) -> list[HeldArtifact]:
        """What must be kept, and why."""
        with self._db.read() as conn:
            return _artifacts(conn)

    def claims(self) -> list[Claim]:
        """All held jobs, in the order in which they were queued."""
        columns = (jobs.c[name] for name in _CLAIM)
        query = select(*columns).where(jobs.c.status == JobStatus.CLAIMED.value).order_by(jobs.c.id)
        with self._db.read() as conn:
            return [Claim(row.id, row.sweep_id, row.owner or "", *tuple(row)[3:]) for row in conn.execute(query)]

    def repeated(self, most: int) -> list[tuple[str, str]]:
        """(series key, revision) of the cells that were booted more than once, the last repeated first."""
        places = (runs.c.series_key, runs.c.revision)
        asked = (runs.c.boot > 0, followed(runs.c.series_key))
        query = select(*places).where(*asked).group_by(*places).order_by(func.max(runs.c.id).desc()).limit(most)
        with self._db.read() as conn:
            return [(row.series_key, row.revision) for row in conn.execute(query)]


def _rows(conn: Connection, most: int) -> ServiceRows:
    statuses = select(jobs.c.status, func.count().label("number")).where(jobs.c.status.in_(_OPEN))
    counted = {row.status: row.number for row in conn.execute(statuses.group_by(jobs.c.status))}
    held_first = (jobs.c.status != JobStatus.CLAIMED.value, jobs.c.id)
    named = select(*(jobs.c[name] for name in _JOB)).where(jobs.c.status.in_(_OPEN)).order_by(*held_first).limit(most)
    return ServiceRows(
        runs=conn.execute(select(func.count(runs.c.id))).scalar_one(),
        waiting=counted.get(JobStatus.QUEUED.value, 0),
        held=counted.get(JobStatus.CLAIMED.value, 0),
        jobs=[_job(row) for row in conn.execute(named)],
        gpus=[_gpu(row) for row in conn.execute(select(leases).order_by(leases.c.host, leases.c.gpu))],
        artifacts=_artifacts(conn),
    )


def _artifacts(conn: Connection) -> list[HeldArtifact]:
    return [_artifact(row) for row in conn.execute(select(holds).where(holds.c.released_at.is_(None)))]


def _job(row: Row[Any]) -> QueuedJob:
    return QueuedJob(*tuple(row))


def _gpu(row: Row[Any]) -> HeldGpu:
    return HeldGpu(row.host, row.gpu, row.purpose, row.taken_at, row.expires_at)


def _artifact(row: Row[Any]) -> HeldArtifact:
    return HeldArtifact(row.kind, row.ref, row.reason, row.bisection)
