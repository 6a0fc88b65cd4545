"""Sweeps with their jobs, and the time they may still take."""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.errors import NotFoundError
from matrix.plan.estimate import pace, planned
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
        eta_s=eta(rows, time.time(), sweep.request.get("seconds", ())),
        jobs=[_job_view(row) for row in rows],
    )


def eta(rows: Sequence[Row[Any]], now: float, each: Sequence[float] = ()) -> float | None:
    """Seconds left: the planned ones of open jobs at the pace of the sweep's own runs, less what held jobs have used,
    by workers.

    `each` are the planned seconds of the jobs, those to come included; without them all jobs weigh alike, and None is
    returned until a run of this sweep is done. 0 when nothing is open.
    """
    costs = planned(each, max(len(rows), len(each)))
    claimed = [at for at, row in enumerate(rows) if row.status == JobStatus.CLAIMED.value]
    open_ = claimed + [at for at, row in enumerate(rows) if row.status == JobStatus.QUEUED.value]
    own = [at for at, row in enumerate(rows) if row.run_id and row.run_sweep == row.sweep_id]
    if not open_:
        return 0.0
    if not own and not each:
        return None
    factor = pace(sum(rows[at].finished_at - rows[at].started_at for at in own), sum(costs[at] for at in own))
    used: float = sum(min(now - rows[at].claimed_at, factor * costs[at]) for at in claimed)
    to_come = sum(costs[at] for at in open_) + sum(costs[len(rows) :])
    return max(factor * to_come - used, 0.0) / max(len(claimed), 1)


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
