"""The queue: which job is taken by whom, how far it is, and how it ends. Changes are guarded by the claim's owner."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, Row, Update, exists, func, insert, or_, select, update

from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.core.result import RunResult
from matrix.store.cellio import cell_to_json
from matrix.store.contents import put_workload
from matrix.store.database import CLAIM, one_at_a_time
from matrix.store.failures import ClaimLostError
from matrix.store.jobs import Job, JobStatus, Priority, job_from_row
from matrix.store.redact import redact, redact_value
from matrix.store.saving import save_run
from matrix.store.tables import jobs, runs
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions

MEASURED = tuple(outcome.value for outcome in Outcome if outcome.measured)
TRIED = tuple(outcome for outcome in MEASURED if outcome != Outcome.UNSUPPORTED.value)
"""Runs that were really made: what could not run then may run now, when rules or the machine have changed."""


class Queue:
    """Jobs of all sweeps. An owner is any text that names one process for good (host, pid and its start time)."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def enqueue(
        self,
        sweep_id: int,
        planned: Iterable[tuple[str, Cell]],
        *,
        priority: Priority = Priority.INTERACTIVE,
        shared: bool = False,
        gpus: Callable[[Cell], int] = lambda cell: cell.launch.gpus,
    ) -> list[int]:
        """Add one job each, in this order, leaving out keys that the sweep has already. Returns job numbers.

        `shared` jobs may be claimed by workers of other processes; `gpus` tells how many GPUs a cell takes.
        """
        with self._db.write() as conn:
            known = set(conn.execute(select(jobs.c.content_key).where(jobs.c.sweep_id == sweep_id)).scalars())
            numbers = []
            for content_key, cell in planned:
                if content_key not in known:
                    known.add(content_key)
                    put_workload(conn, cell.workload)
                    how = {"priority": int(priority), "shared": int(shared), "gpus": gpus(cell)}
                    numbers.append(_insert(conn, sweep_id, content_key, cell, how))
            return numbers

    def claim(self, owner: str, sweep_id: int | None = None) -> Job | None:
        """The first waiting job (of one sweep, or of any), now held by `owner`; None when none can be taken.

        The most urgent first, then in the order in which they were queued; a retry waits for its time.
        A job whose content key another owner is measuring stays where it is, so nothing is measured twice; one whose
        content key was measured meanwhile, by another sweep, ends here as done with that run.
        """
        return self._claim(owner, [jobs.c.sweep_id == sweep_id] if sweep_id is not None else [])

    def claim_shared(self, owner: str, executors: Collection[str], hardware: str) -> Job | None:
        """The same among the shared jobs of all sweeps whose cells are for these executors and this hardware class."""
        return self._claim(owner, [jobs.c.shared == 1, jobs.c.executor.in_(executors), jobs.c.hardware == hardware])

    def _claim(self, owner: str, among: Sequence[ColumnElement[bool]]) -> Job | None:
        with self._db.write() as conn:
            # Two claimers who do not see each other's choice could take two jobs of one content key.
            one_at_a_time(conn, CLAIM)
            while (row := _first_waiting(conn, among)) is not None:
                done_by = conn.execute(
                    select(runs.c.run_id)
                    .where(runs.c.content_key == row.content_key, runs.c.outcome.in_(TRIED))
                    .order_by(runs.c.finished_at.desc(), runs.c.id.desc())
                ).scalar()
                if done_by is not None:
                    _end(conn, row, run_id=done_by, note="measured by another sweep")
                elif _take(conn, row, owner):
                    return job_from_row(conn, conn.execute(select(jobs).where(jobs.c.id == row.id)).one())
            return None

    def set_phase(self, job_id: int, owner: str, phase: str, detail: str = "") -> bool:
        """Note what the holder is doing (and that it lives); False when the claim is lost."""
        now = time.time()
        values = {"phase": phase, "phase_detail": stored_text(detail, 500), "phase_at": now, "heartbeat_at": now}
        return self._change(_held(job_id, owner).values(**values))

    def heartbeat(self, job_id: int, owner: str) -> bool:
        """Note that the holder lives; False when the claim is lost."""
        return self._change(_held(job_id, owner).values(heartbeat_at=time.time()))

    def release(self, job_id: int, owner: str) -> bool:
        """Put a held job back among the waiting ones (Ctrl-C); False when the claim is lost."""
        return self._change(_held(job_id, owner).values(**waiting_again()))

    def give_back(self, owner: str) -> int:
        """Put all jobs that `owner` holds back among the waiting ones; returns how many.

        For an owner that works on none of them: it could not say so while the database was away.
        """
        mine = (jobs.c.owner == owner, jobs.c.status == JobStatus.CLAIMED.value)
        with self._db.write() as conn:
            return conn.execute(update(jobs).where(*mine).values(**waiting_again())).rowcount

    def cancel_rest(self, sweep_id: int, note: str = "") -> int:
        """Cancel the sweep's waiting jobs, noting why; returns how many. Held ones are left to their owners."""
        with self._db.write() as conn:
            return cancel_waiting(conn, sweep_id, note)

    def tried(self) -> set[tuple[str, str]]:
        """Every (engine, version) that a job was ever queued for."""
        with self._db.read() as conn:
            return {(r.engine, r.revision) for r in conn.execute(select(jobs.c.engine, jobs.c.revision).distinct())}

    def cancelled(self, sweep_id: int) -> tuple[int, str]:
        """How many jobs of the sweep were cancelled, and the newest note that says why."""
        gone = (jobs.c.sweep_id == sweep_id, jobs.c.status == JobStatus.CANCELLED.value)
        with self._db.read() as conn:
            number = conn.execute(select(func.count()).where(*gone)).scalar_one()
            note = conn.execute(select(jobs.c.note).where(*gone).order_by(jobs.c.id.desc()).limit(1)).scalar()
        return number, note or ""

    def gpu_seconds(
        self, sweep_id: int, expected: Callable[[str], float] = lambda content_key: 0.0, but: int | None = None
    ) -> float:
        """GPUs times seconds that the sweep's runs have taken, and its held jobs (all `but` one) will have taken.

        A held job counts what is `expected` of its content key, or its seconds until now where those are more.
        """
        of_sweep, held = jobs.c.sweep_id == sweep_id, jobs.c.status == JobStatus.CLAIMED.value
        made = select(func.sum((runs.c.finished_at - runs.c.started_at) * jobs.c.gpus)).where(
            of_sweep, runs.c.sweep_id == sweep_id, runs.c.content_key == jobs.c.content_key
        )
        now, columns = time.time(), (jobs.c.id, jobs.c.content_key, jobs.c.gpus, jobs.c.claimed_at)
        with self._db.read() as conn:
            spent = max(0.0, float(conn.execute(made).scalar() or 0.0))
            open_ = conn.execute(select(*columns).where(of_sweep, held)).all()
        others = (row for row in open_ if row.id != but)
        begun = (max(now - float(row.claimed_at), expected(row.content_key)) * int(row.gpus) for row in others)
        return spent + sum(begun)

    def pending(self, sweep_id: int) -> int:
        """How many jobs of the sweep wait or are held."""
        open_ = (JobStatus.QUEUED.value, JobStatus.CLAIMED.value)
        with self._db.read() as conn:
            return conn.execute(
                select(func.count()).where(jobs.c.sweep_id == sweep_id, jobs.c.status.in_(open_))
            ).scalar_one()

    def finish(
        self,
        job_id: int,
        owner: str,
        result: RunResult,
        *,
        log_ref: str | None = None,
        log_bytes: int | None = None,
        again_at: float | None = None,
    ) -> None:
        """Store the run and end the job, both or neither. ClaimLostError unless `owner` still holds the job.

        With `again_at` (Unix seconds) the run is stored and the job waits once more, until then. Nothing happens where
        this very run is stored already: a caller who lost the answer may ask again.
        """
        with self._db.write() as conn:
            if _is_stored(conn, result):
                return
            finish_held(conn, job_id, owner, result, log_ref=log_ref, log_bytes=log_bytes)
            if again_at is not None:
                again = waiting_again() | {
                    "not_before": again_at,
                    "run_id": None,
                    "note": stored_text(result.reason, 500),
                }
                # Its cell was redacted by `finish_held`: the launch options are needed again.
                cell = cell_to_json(result.cell)
                conn.execute(update(jobs).where(jobs.c.id == job_id).values(**again, cell=cell))

    def _change(self, statement: Update) -> bool:
        with self._db.write() as conn:
            return conn.execute(statement).rowcount == 1


def finish_held(
    conn: Connection,
    job_id: int,
    owner: str,
    result: RunResult,
    *,
    log_ref: str | None = None,
    log_bytes: int | None = None,
) -> None:
    """`Queue.finish` inside the caller's transaction."""
    if conn.execute(_held(job_id, owner).values(status=JobStatus.DONE.value)).rowcount != 1:
        raise ClaimLostError(
            f"job {job_id} is not held by {owner}: run {result.run_id} was not stored",
            hint="another worker has it; run `matrix status`",
        )
    row = conn.execute(select(jobs).where(jobs.c.id == job_id)).one()
    save_run(conn, result, sweep_id=row.sweep_id, log_ref=log_ref, log_bytes=log_bytes)
    _end(conn, row, run_id=result.run_id, note=row.note)


def _is_stored(conn: Connection, result: RunResult) -> bool:
    same = (runs.c.run_id == result.run_id, runs.c.content_key == result.content_key)
    return conn.execute(select(runs.c.id).where(*same)).first() is not None


def cancel_waiting(conn: Connection, sweep_id: int, note: str = "") -> int:
    """Cancel the sweep's waiting jobs inside the caller's transaction; returns how many."""
    waiting = (jobs.c.sweep_id == sweep_id, jobs.c.status == JobStatus.QUEUED.value)
    rows = conn.execute(select(jobs.c.id, jobs.c.cell).where(*waiting)).all()
    return sum(
        conn.execute(
            update(jobs)
            .where(jobs.c.id == row.id, *waiting)
            .values(status=JobStatus.CANCELLED.value, note=note, cell=redact_value(row.cell))
        ).rowcount
        for row in rows
    )


def waiting_again() -> dict[str, str | float | None]:
    """Column values of a job that goes back to the queue."""
    return {
        "status": JobStatus.QUEUED.value,
        "owner": None,
        "phase": None,
        "phase_detail": "",
        "phase_at": None,
        "heartbeat_at": None,
    }


def _insert(conn: Connection, sweep_id: int, content_key: str, cell: Cell, how: dict[str, int]) -> int:
    row = how | {
        "sweep_id": sweep_id,
        "content_key": content_key,
        "series_key": cell.series_key,
        "engine": cell.revision.engine,
        "revision": cell.revision.version,
        "boot": cell.boot,
        "executor": cell.executor,
        "hardware": cell.hardware.label,
        "label": redact(cell.label),
        "cell": cell_to_json(cell),
        "status": JobStatus.QUEUED.value,
        "attempts": 0,
        "lost": 0,
        "phase_detail": "",
        "note": "",
    }
    key = conn.execute(insert(jobs).values(**row)).inserted_primary_key
    return int(key[0]) if key else 0


def _first_waiting(conn: Connection, among: Sequence[ColumnElement[bool]]) -> Row[tuple[object, ...]] | None:
    others = jobs.alias("others")
    in_hand = exists().where(others.c.content_key == jobs.c.content_key, others.c.status == JobStatus.CLAIMED.value)
    now = time.time()
    # Claimed in what is the future now: the clock was set back, and the pause counted by the wrong one.
    due = or_(jobs.c.not_before.is_(None), jobs.c.not_before <= now, jobs.c.claimed_at > now)
    query = select(jobs).where(jobs.c.status == JobStatus.QUEUED.value, due, ~in_hand, *among)
    return conn.execute(query.order_by(jobs.c.priority, jobs.c.id).limit(1)).first()


def _take(conn: Connection, row: Row[tuple[object, ...]], owner: str) -> bool:
    now = time.time()
    taken = conn.execute(
        update(jobs)
        .where(jobs.c.id == row.id, jobs.c.status == JobStatus.QUEUED.value)
        .values(
            status=JobStatus.CLAIMED.value, owner=owner, attempts=jobs.c.attempts + 1, claimed_at=now, heartbeat_at=now
        )
    )
    return taken.rowcount == 1


def _held(job_id: int, owner: str) -> Update:
    return update(jobs).where(jobs.c.id == job_id, jobs.c.owner == owner, jobs.c.status == JobStatus.CLAIMED.value)


def _end(conn: Connection, row: Row[tuple[object, ...]], *, run_id: str, note: str) -> None:
    """A job that will not run again needs no secrets of its launch options any more."""
    conn.execute(
        update(jobs)
        .where(jobs.c.id == row.id)
        .values(status=JobStatus.DONE.value, run_id=run_id, note=note, cell=redact_value(row.cell))
    )
