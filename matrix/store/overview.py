"""The first page: what regressed, the heatmaps, the sweep under way, what was fixed."""

from sqlalchemy import Connection, func, select

from matrix.core.errors import NotFoundError
from matrix.store.flipviews import FIXES, REGRESSIONS, flip_views
from matrix.store.heatmaps import heatmaps
from matrix.store.narrow import EVERYTHING, Narrow
from matrix.store.sweepviews import sweep_view
from matrix.store.tables import series
from matrix.store.views import Overview, SweepView

_MOST_FIXES = 100


def overview(conn: Connection, narrow: Narrow = EVERYTHING) -> Overview:
    """Everything of the first page from one view of the database; of fixes the newest hundred."""
    fallen = flip_views(conn, changes=REGRESSIONS, standing=True)
    return Overview(
        regressions=fallen,
        fixed=flip_views(conn, changes=FIXES, standing=True, limit=_MOST_FIXES),
        heatmaps=heatmaps(conn, narrow, {flip.series_key for flip in fallen}),
        sweep=_latest(conn),
        runs=int(conn.execute(select(func.coalesce(func.sum(series.c.runs), 0))).scalar_one()),
    )


def _latest(conn: Connection) -> SweepView | None:
    try:
        return sweep_view(conn)
    except NotFoundError:
        return None
