"""Jobs whose worker died: back to the queue, and after the third death given up as an infra failure."""

import secrets
import time
from collections.abc import Callable

from sqlalchemy import Connection, select, update

from matrix import __version__
from matrix.core.outcome import Outcome
from matrix.core.result import Failure, RunResult
from matrix.store.jobs import Job, JobStatus, job_from_row
from matrix.store.queue import finish_held, waiting_again
from matrix.store.tables import jobs
from matrix.store.transactions import Transactions

MAX_LOST = 3


def requeue_lost(db: Transactions, is_alive: Callable[[str], bool]) -> list[Job]:
    """Take back every job held by an owner that `is_alive` denies; returns them as they are afterwards.

    A job lost `MAX_LOST` times kills its worker more likely than not: it ends with an `infra` run that says so.
    """
    with db.read() as conn:
        held = select(jobs.c.id, jobs.c.owner).where(jobs.c.status == JobStatus.CLAIMED.value).order_by(jobs.c.id)
        rows = conn.execute(held).all()
    # Asked outside of any transaction: it may look at processes.
    dead = {owner for owner in {row.owner for row in rows} if not is_alive(owner)}
    lost = [(row.id, row.owner) for row in rows if row.owner in dead]
    if not lost:
        return []
    with db.write() as conn:
        return [job for job_id, owner in lost if (job := _take_back(conn, job_id, owner)) is not None]


def _take_back(conn: Connection, job_id: int, owner: str) -> Job | None:
    mine = (jobs.c.id == job_id, jobs.c.owner == owner, jobs.c.status == JobStatus.CLAIMED.value)
    if conn.execute(update(jobs).where(*mine).values(lost=jobs.c.lost + 1)).rowcount != 1:
        return None
    job = _job(conn, job_id)
    if job.lost >= MAX_LOST:
        finish_held(conn, job_id, owner, _given_up(conn, job))
    else:
        conn.execute(update(jobs).where(*mine).values(**waiting_again()))
    return _job(conn, job_id)


def _job(conn: Connection, job_id: int) -> Job:
    return job_from_row(conn, conn.execute(select(jobs).where(jobs.c.id == job_id)).one())


def _given_up(conn: Connection, job: Job) -> RunResult:
    row = conn.execute(select(jobs.c.claimed_at, jobs.c.phase).where(jobs.c.id == job.job_id)).one()
    now = time.time()
    reason = f"its worker died {job.lost} times before a result, last in phase {row.phase or 'claim'}"
    next_step = "look for the kernel's out-of-memory killer (dmesg), then run the sweep again"
    return RunResult(
        run_id=secrets.token_hex(8),
        cell=job.cell,
        content_key=job.content_key,
        recipe_text="",
        probe_version="",
        outcome=Outcome.INFRA,
        reason=reason,
        started_at=row.claimed_at or now,
        finished_at=now,
        failure=Failure(Outcome.INFRA, reason, next_step, signature="worker-lost"),
        tool_version=__version__,
    )
