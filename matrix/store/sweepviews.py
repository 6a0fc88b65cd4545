"""Sweeps with their jobs, and the time they may still take."""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.errors import NotFoundError
from matrix.store.info import info_from_job
from matrix.store.jobs import JobStatus
from matrix.store.resultrows import run_accept_length
from matrix.store.tables import jobs, runs, sweeps
from matrix.store.views import JobView, SweepView

_RUN = (
    runs.c.outcome,
    runs.c.reason,
    runs.c.method,
    runs.c.steps,
    runs.c.proposed,
    runs.c.accepted,
    runs.c.decode_steps,
    runs.c.completion_tokens,
    runs.c.per_position,
    runs.c.requests,
    runs.c.started_at,
    runs.c.finished_at,
    runs.c.sweep_id.label("run_sweep"),
)

_NUMBERS = range(1, 2**31)
"""What the column of sweep numbers holds; asked for another, drivers raise errors of their own."""


def sweep_view(conn: Connection, sweep_id: int | None = None) -> SweepView:
    """One sweep, or the latest; NotFoundError when there is none."""
    query = select(sweeps).order_by(sweeps.c.id.desc()).limit(1)
    if sweep_id is not None:
        query = query.where(sweeps.c.id == sweep_id)
    sweep = conn.execute(query).first() if sweep_id is None or sweep_id in _NUMBERS else None
    if sweep is None:
        what = "no sweep yet" if sweep_id is None else f"no sweep {sweep_id}"
        raise NotFoundError(f"there is {what}", hint="run `matrix sweep` first, or see `matrix status`")
    joined = select(jobs, *_RUN).outerjoin(runs, runs.c.run_id == jobs.c.run_id)
    rows = conn.execute(joined.where(jobs.c.sweep_id == sweep.id).order_by(jobs.c.id)).all()
    return SweepView(
        sweep_id=sweep.id,
        status=sweep.status,
        created_at=sweep.created_at,
        finished_at=sweep.finished_at,
        total=len(rows),
        done=sum(row.status == JobStatus.DONE.value for row in rows),
        eta_s=eta(rows, time.time()),
        jobs=[_job_view(row) for row in rows],
    )


def eta(rows: Sequence[Row[Any]], now: float) -> float | None:
    """Seconds left: mean time of the sweep's own runs for each open job, less what held ones have used, by workers.

    None until a run of this sweep is done; 0 when nothing is open.
    """
    claimed = [row for row in rows if row.status == JobStatus.CLAIMED.value]
    open_: int = len(claimed) + sum(row.status == JobStatus.QUEUED.value for row in rows)
    if not open_:
        return 0.0
    took: list[float] = [
        row.finished_at - row.started_at for row in rows if row.run_id and row.run_sweep == row.sweep_id
    ]
    if not took:
        return None
    each = sum(took) / len(took)
    used: float = sum(min(now - row.claimed_at, each) for row in claimed)
    return max(each * open_ - used, 0.0) / max(len(claimed), 1)


def _job_view(row: Row[Any]) -> JobView:
    info = info_from_job(row.series_key, row.cell)
    return JobView(
        job_id=row.id,
        label=row.label,
        engine=row.engine,
        revision=row.revision,
        target=info.target,
        spec=info.spec,
        status=row.status,
        phase=row.phase if row.status == JobStatus.CLAIMED.value else None,
        phase_detail=row.phase_detail,
        phase_at=row.phase_at,
        started_at=row.claimed_at,
        run_id=row.run_id,
        outcome=row.outcome,
        reason=row.reason or row.note,
        accept_length=run_accept_length(row) if row.run_id else None,
    )
