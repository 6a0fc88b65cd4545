"""The first page: what regressed, and the heatmaps of revisions x (target, draft, spec config)."""

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Row, case, func, select

from matrix.core.errors import NotFoundError
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.store.flipviews import FIXES, REGRESSIONS, flip_views
from matrix.store.info import SeriesInfo, info_from_job, info_from_run
from matrix.store.jobs import JobStatus
from matrix.store.order import revision_key
from matrix.store.queue import MEASURED
from matrix.store.resultrows import COLUMNS
from matrix.store.results import result_rows
from matrix.store.states import states_by_run, worst
from matrix.store.sweeps import SweepStatus
from matrix.store.sweepviews import sweep_view
from matrix.store.tables import jobs, runs, sweeps
from matrix.store.views import Heatmap, Overview, ResultRow, SeriesRow, Square, SweepView, VerdictView

Squares = dict[str, dict[str, Square]]


def overview(conn: Connection) -> Overview:
    """Everything of the first page from one view of the database."""
    return Overview(
        regressions=flip_views(conn, changes=REGRESSIONS, standing=True),
        fixed=flip_views(conn, changes=FIXES, standing=True),
        heatmaps=_heatmaps(conn),
        sweep=_latest(conn),
        runs=conn.execute(select(func.count(runs.c.id))).scalar_one(),
    )


def _latest(conn: Connection) -> SweepView | None:
    try:
        return sweep_view(conn)
    except NotFoundError:
        return None


def _heatmaps(conn: Connection) -> list[Heatmap]:
    rows = _newest_runs(conn)
    about = {row.series_key: info_from_run(row) for row in rows}
    squares: Squares = defaultdict(dict)
    said = states_by_run(conn)
    for result in result_rows(conn, rows):
        squares[result.series_key][result.revision] = _square(result, said.get(result.run_id, []))
    for job in _open_jobs(conn):
        about.setdefault(job.series_key, info_from_job(job.series_key, job.cell))
        of_series = squares[job.series_key]
        of_series[job.revision] = _under_way(job, of_series.get(job.revision))
    engines = sorted({info.engine for info in about.values()})
    return [_heatmap(engine, [i for i in about.values() if i.engine == engine], squares) for engine in engines]


def _newest_runs(conn: Connection) -> list[Row[Any]]:
    """Of each series at each revision the newest run, a measured one before any other (see `recency_key`)."""
    measured = case((runs.c.outcome.in_(MEASURED), 1), else_=0)
    rank = func.row_number().over(
        partition_by=(runs.c.series_key, runs.c.revision),
        order_by=(measured.desc(), runs.c.finished_at.desc(), runs.c.id.desc()),
    )
    ranked = select(runs.c.id, rank.label("rank")).subquery()
    return list(
        conn.execute(
            select(*COLUMNS).join(ranked, ranked.c.id == runs.c.id).where(ranked.c.rank == 1).order_by(runs.c.id)
        )
    )


def _open_jobs(conn: Connection) -> list[Row[Any]]:
    return list(
        conn.execute(
            select(jobs)
            .join(sweeps, sweeps.c.id == jobs.c.sweep_id)
            .where(
                jobs.c.status.in_((JobStatus.QUEUED.value, JobStatus.CLAIMED.value)),
                sweeps.c.status == SweepStatus.RUNNING.value,
            )
            .order_by(jobs.c.id.desc())
        )
    )


def _square(result: ResultRow, said: list[VerdictView]) -> Square:
    shown = worst(said)
    return Square(
        revision=result.revision,
        state=shown.state,
        text=_text(result),
        reason=shown.reason,
        run_id=result.run_id,
        accept_length=result.accept_length,
        speedup=result.speedup,
        outcome=result.outcome,
    )


def _text(result: ResultRow) -> str:
    """The figure a square is about, or how the run ended where there is none."""
    if result.outcome != Outcome.OK.value:
        return result.outcome
    if result.accept_length is not None:
        return f"{result.accept_length:.2f}"
    if result.method == Method.NONE.value and result.output_tok_s is not None:
        return f"{result.output_tok_s:.0f} tok/s"
    return result.outcome


def _under_way(job: Row[Any], before: Square | None) -> Square:
    """What was known of the square stays visible while it is measured again."""
    phase = (job.phase or "claimed") if job.status == JobStatus.CLAIMED.value else "queued"
    if before is None:
        return Square(job.revision, State.UNKNOWN.value, phase, job.phase_detail, None, None, None, phase=phase)
    return Square(
        before.revision,
        before.state,
        before.text,
        before.reason,
        before.run_id,
        before.accept_length,
        before.speedup,
        phase=phase,
        outcome=before.outcome,
    )


def _heatmap(engine: str, about: list[SeriesInfo], squares: Squares) -> Heatmap:
    revisions = sorted({r for info in about for r in squares[info.series_key]}, key=revision_key)
    rows = [_series_row(info, squares[info.series_key], revisions) for info in sorted(about, key=_row_order)]
    return Heatmap(engine, revisions, rows)


def _row_order(info: SeriesInfo) -> tuple[object, ...]:
    """Rows of one target and setting together, the baseline first."""
    setting = (info.target, info.launch, info.workload, info.hardware, info.executor)
    return (*setting, info.method != Method.NONE.value, info.draft or "", info.spec, info.series_key)


def _series_row(info: SeriesInfo, squares: dict[str, Square], revisions: list[str]) -> SeriesRow:
    return SeriesRow(
        series_key=info.series_key,
        target=info.target,
        draft=info.draft,
        method=info.method,
        spec=info.spec,
        k=info.k,
        launch=info.launch,
        workload=info.workload,
        hardware=info.hardware,
        executor=info.executor,
        squares=[squares.get(revision) for revision in revisions],
    )
