"""One series from revision to revision."""

from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.errors import NotFoundError
from matrix.core.spec import Method
from matrix.store.flipviews import flip_views
from matrix.store.info import infos
from matrix.store.revisions import newest_first
from matrix.store.speed import ratio
from matrix.store.states import verdicts_by_run
from matrix.store.tables import squares
from matrix.store.views import SeriesPoint, SeriesView, VerdictView


def series_view(conn: Connection, series_key: str, newest: int | None = None) -> SeriesView:
    """The newest run of each revision with its intervals and verdicts; NotFoundError for an unknown series.

    `newest` keeps to that many of the newest revisions; `SeriesView.revisions` counts them all.
    """
    about = infos(conn, [series_key]).get(series_key)
    if about is None:
        raise NotFoundError(f"there is no series {series_key}", hint="see `matrix status` or the overview page")
    mine = squares.c.series_key == series_key
    revisions = tuple(conn.scalars(select(squares.c.revision).where(mine).order_by(squares.c.revision)))
    shown = newest_first(revisions)[:newest]
    asked = mine if newest is None else mine & squares.c.revision.in_(shown)
    found = {row.revision: row for row in conn.execute(select(squares).where(asked))}
    rows = [found[revision] for revision in reversed(shown)]
    said = verdicts_by_run(conn, series_key, None if newest is None else [row.run_id for row in rows])
    return SeriesView(
        series_key=series_key,
        title=about.title,
        engine=about.engine,
        target=about.target,
        draft=about.draft,
        method=about.method,
        spec=about.spec,
        k=about.k,
        launch=about.launch,
        workload=about.workload,
        hardware=about.hardware,
        executor=about.executor,
        points=[_point(row, about.method, said.get(row.run_id, [])) for row in rows],
        flips=flip_views(conn, series_key=series_key),
        revisions=len(revisions),
    )


def _point(row: Row[Any], method: str, said: list[VerdictView]) -> SeriesPoint:
    base = None if method == Method.NONE.value else row.baseline_tok_s
    return SeriesPoint(
        revision=row.revision,
        run_id=row.run_id,
        outcome=row.outcome,
        accept_length=row.accept_length,
        low=row.low,
        high=row.high,
        output_tok_s=row.tok_s,
        tok_s_low=row.tok_s_low,
        tok_s_high=row.tok_s_high,
        baseline_tok_s=base,
        speedup=ratio(row.tok_s, base),
        finished_at=row.finished_at,
        verdicts=said,
    )
