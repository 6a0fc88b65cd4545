"""What the service is about, for `matrix status`: nights, workers, leases, holds and messages."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from matrix.executors import owner
from matrix.store import Store
from matrix.store.messages import MessageView
from matrix.store.service import Claim, HeldArtifact
from matrix.store.ticks import TickStatus
from matrix.store.views import JobView, SweepView

LOST = "lost"
"""Status of a cell, a night or a lease whose process has ended without a word; what comes next takes it back."""


@dataclass(frozen=True, slots=True)
class TickView:
    """A night. `status`: running, done, failed, or lost; times are Unix seconds."""

    schedule: str
    status: str
    why: str
    sweep: int | None
    note: str
    begun_at: float
    finished_at: float | None


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A process that holds cells. `status`: working or lost; times are Unix seconds, None where not noted."""

    process: str
    status: str
    sweep: int
    cell: str
    phase: str | None
    since: float | None
    heartbeat_at: float | None


@dataclass(frozen=True, slots=True)
class LeaseView:
    """A GPU in use. `status`: held or lost."""

    host: str
    gpu: int
    status: str
    process: str
    purpose: str
    expires_at: float


@dataclass(frozen=True, slots=True)
class AtWork:
    """`ticks` newest first; `messages` are those that wait or were given up, of all `counts` by status."""

    ticks: list[TickView]
    workers: list[WorkerView]
    leases: list[LeaseView]
    holds: list[HeldArtifact]
    messages: list[MessageView]
    counts: dict[str, int]


def at_work(store: Store, alive: Callable[[str], bool] = owner.alive, most: int = 5) -> AtWork:
    """Read now; a process of another host counts as alive until its lease or claim is taken over."""
    counts = store.messages.counts()
    ticks = [
        TickView(
            tick.schedule,
            LOST if tick.status is TickStatus.RUNNING and not alive(tick.owner) else tick.status.value,
            tick.why,
            tick.sweep_id,
            tick.note,
            tick.begun_at,
            tick.finished_at,
        )
        for tick in store.ticks.newest(most)
    ]
    return AtWork(
        ticks=ticks,
        workers=[_worker(claim, alive) for claim in store.service.claims()],
        leases=[
            LeaseView(
                lease.host, lease.gpu, _held(lease.owner, alive, "held"), lease.owner, lease.purpose, lease.expires_at
            )
            for lease in store.leases.held()
        ],
        holds=store.service.artifacts(),
        messages=[view for view in store.messages.newest(50) if view.status in ("waiting", "failed")],
        counts=counts,
    )


def seen(view: SweepView, claims: list[Claim], alive: Callable[[str], bool] = owner.alive) -> SweepView:
    """The sweep with each claimed cell of an ended process called lost."""
    dead = {claim.job_id for claim in claims if not alive(claim.owner)}
    return replace(view, jobs=[_lost(job) if job.job_id in dead else job for job in view.jobs])


def _lost(job: JobView) -> JobView:
    return replace(
        job, status=LOST, reason=job.reason or "its process has ended; the next sweep or worker takes it back"
    )


def _worker(claim: Claim, alive: Callable[[str], bool]) -> WorkerView:
    status = _held(claim.owner, alive, "working")
    return WorkerView(
        claim.owner, status, claim.sweep_id, claim.label, claim.phase, claim.claimed_at, claim.heartbeat_at
    )


def _held(name: str, alive: Callable[[str], bool], word: str) -> str:
    return word if alive(name) else LOST
