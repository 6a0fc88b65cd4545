"""Heatmaps of revisions x (target, draft, spec config): the newest revisions of each engine, regressions first."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.store.baselines import batches
from matrix.store.info import SeriesInfo, about_and_marks, info_from_job, row_order
from matrix.store.jobs import JobStatus
from matrix.store.kept import kept_of
from matrix.store.narrow import Narrow
from matrix.store.order import revision_key
from matrix.store.revisions import newest_revisions, revisions_of_series
from matrix.store.speed import ratio
from matrix.store.sweeps import SweepStatus
from matrix.store.tables import jobs, squares, sweeps
from matrix.store.views import Heatmap, SeriesRow, Square

Squares = dict[str, dict[str, Square]]
_COLUMNS = tuple(
    squares.c[name]
    for name in (
        "series_key",
        "revision",
        "run_id",
        "outcome",
        "accept_length",
        "tok_s",
        "baseline_tok_s",
        "state",
        "why",
    )
)


def heatmaps(conn: Connection, narrow: Narrow, fallen: Collection[str]) -> list[Heatmap]:
    """One for each engine that has a series which fits; series in `fallen` are the first to be shown."""
    open_ = _open_jobs(conn)
    about, marks = about_and_marks(conn)
    if open_:
        both = about | {job.series_key: info_from_job(job.series_key, job.cell) for job in open_}
        about = {info.series_key: info for info in sorted(both.values(), key=row_order)}
    engines: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in narrow.fitting(about.values()):
        engines[info.engine].append(info)
    share = narrow.rows // max(len(engines), 1)
    return [_heatmap(conn, engines[engine], open_, narrow, share, fallen, marks) for engine in sorted(engines)]


def _heatmap(
    conn: Connection,
    fitting: list[SeriesInfo],
    open_: Sequence[Row[Any]],
    narrow: Narrow,
    share: int,
    fallen: Collection[str],
    marks: Mapping[str, str],
) -> Heatmap:
    """Of the series of one engine that fit, in the order of rows."""
    engine, keys = fitting[0].engine, {info.series_key for info in fitting}
    planned = [job for job in open_ if job.series_key in keys]
    every = _revisions(conn, engine, keys, narrow, {job.revision for job in planned})
    columns = every[-narrow.revisions :]
    if narrow.state is not None:
        keys = _in_state(conn, keys, columns, narrow.state)
    wanted = [info for info in fitting if info.series_key in keys]
    chosen = {info.series_key for info in sorted(wanted, key=lambda info: info.series_key not in fallen)[:share]}
    rows = _rows(conn, [info for info in wanted if info.series_key in chosen], columns, marks)
    for job in planned:
        if job.revision in columns and job.series_key in rows:
            rows[job.series_key] = _with_job(rows[job.series_key], job, columns.index(job.revision))
    return Heatmap(engine, columns, list(rows.values()), total=len(wanted), older=len(every) - len(columns))


def _revisions(conn: Connection, engine: str, keys: set[str], narrow: Narrow, planned: set[str]) -> list[str]:
    """All revisions of the engine, of a few series those that they were run at, and those planned; the oldest first."""
    found = revisions_of_series(conn, keys) if narrow.any else newest_revisions(conn, engine)
    return found[::-1] if planned <= set(found) else sorted(planned.union(found), key=revision_key)


def _in_state(conn: Connection, keys: set[str], columns: list[str], state: str) -> set[str]:
    found: set[str] = set()
    for batch in batches(sorted(keys)):
        asked = (squares.c.series_key.in_(batch), squares.c.revision.in_(columns), squares.c.state == state)
        found |= set(conn.scalars(select(squares.c.series_key).where(*asked).distinct()))
    return found


def _rows(
    conn: Connection, about: Iterable[SeriesInfo], columns: list[str], marks: Mapping[str, str]
) -> dict[str, SeriesRow]:
    """By series key. Rows are read where they are not kept from before."""
    kept, shown = kept_of(conn), tuple(columns)
    rows: dict[str, SeriesRow | None] = {}
    missing = []
    for info in about:
        key = info.series_key
        rows[key] = kept.get(("row", key, shown), (marks.get(key), info))
        if rows[key] is None:
            missing.append(info)
    found = _squares(conn, missing, columns)
    for info in missing:
        row = rows[info.series_key] = _series_row(info, found[info.series_key], columns)
        if info.series_key in marks:
            kept.put(("row", info.series_key, shown), (marks[info.series_key], info), row)
    return {key: row for key, row in rows.items() if row is not None}


def _with_job(row: SeriesRow, job: Row[Any], column: int) -> SeriesRow:
    squares = list(row.squares)
    squares[column] = _under_way(job, squares[column])
    return replace(row, squares=squares)


def _squares(conn: Connection, about: Iterable[SeriesInfo], columns: list[str]) -> Squares:
    methods = {info.series_key: info.method for info in about}
    found: Squares = defaultdict(dict)
    for batch in batches(sorted(methods)):
        asked = (squares.c.series_key.in_(batch), squares.c.revision.in_(columns))
        for row in conn.execute(select(*_COLUMNS).where(*asked)):
            found[row[0]][row[1]] = _square(methods[row[0]], *row[1:])
    return found


def _square(
    method: str,
    revision: str,
    run_id: str,
    outcome: str,
    length: float | None,
    speed: float | None,
    base: float | None,
    state: str,
    why: str,
) -> Square:
    text = _text(method, outcome, length, speed)
    return Square(revision, state, text, why, run_id, length, ratio(speed, base), None, outcome)


def _text(method: str, outcome: str, length: float | None, speed: float | None) -> str:
    """The figure a square is about, or how the run ended where there is none."""
    if outcome != Outcome.OK.value:
        return outcome
    if length is not None:
        return f"{length:.2f}"
    return f"{speed:.0f} tok/s" if method == Method.NONE.value and speed is not None else outcome


def _open_jobs(conn: Connection) -> list[Row[Any]]:
    asked = (
        jobs.c.status.in_((JobStatus.QUEUED.value, JobStatus.CLAIMED.value)),
        sweeps.c.status == SweepStatus.RUNNING.value,
    )
    query = select(jobs).join(sweeps, sweeps.c.id == jobs.c.sweep_id).where(*asked)
    return list(conn.execute(query.order_by(jobs.c.id.desc())))


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


def _series_row(info: SeriesInfo, found: dict[str, Square], revisions: list[str]) -> SeriesRow:
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
        squares=[found.get(revision) for revision in revisions],
    )
