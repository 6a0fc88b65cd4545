"""Series: what the judge reads and what it says."""

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import select, update

from matrix.core.errors import NotFoundError
from matrix.core.state import Flip, Metric, State, Verdict
from matrix.store.baselines import batches
from matrix.store.flipsaving import put_flips
from matrix.store.flipviews import flip_views
from matrix.store.pointrows import points_at, series_points
from matrix.store.points import StoredPoint
from matrix.store.squares import tell
from matrix.store.tables import flips, runs, verdicts
from matrix.store.transactions import Transactions
from matrix.store.verdictrows import fall_rows, forget, put_verdicts, verdict_rows
from matrix.store.views import FlipView


class Series:
    """A series is named by `Cell.series_key`."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def keys(self) -> list[str]:
        """Keys of all series that have a run."""
        with self._db.read() as conn:
            return list(conn.execute(select(runs.c.series_key).distinct().order_by(runs.c.series_key)).scalars())

    def points(self, series_key: str) -> list[StoredPoint]:
        """The newest run of each (revision, boot), in the order of revisions; empty for an unknown series."""
        with self._db.read() as conn:
            return series_points(conn, series_key)

    def points_at(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[StoredPoint]]:
        """By (series key, revision) the newest run of each boot; places without a run are left out."""
        with self._db.read() as conn:
            return points_at(conn, places)

    def states(self, series_key: str, metric: Metric) -> list[tuple[str, State]]:
        """Each judged revision of the series with its state in one metric, in no order."""
        mine = (verdicts.c.series_key == series_key, verdicts.c.metric == metric.value)
        with self._db.read() as conn:
            rows = conn.execute(select(verdicts.c.revision, verdicts.c.state).where(*mine)).all()
        return [(row.revision, State(row.state)) for row in rows]

    def save_verdicts(self, series_key: str, said: Mapping[str, Collection[Verdict]]) -> None:
        """Replace all verdicts of the series by `said`: run id -> one verdict a metric. What the judge remembered of
        the series is forgotten (`Memory.save` keeps both).
        """
        with self._db.write() as conn:
            forget(conn, series_key)
            of_series = select(runs.c.run_id, runs.c.revision, runs.c.engine).where(runs.c.series_key == series_key)
            known = {row.run_id: row for row in conn.execute(of_series)}
            if strangers := sorted(said.keys() - known.keys()):
                raise NotFoundError(f"series {series_key} has no run {strangers[0]}")
            by_run = [(run_id, known[run_id].revision, of_run) for run_id, of_run in said.items()]
            rows = [row for run_id, of, of_run in by_run for row in verdict_rows(series_key, run_id, of, of_run)]
            p_values = [
                row
                for run_id, of, of_run in by_run
                for row in fall_rows(series_key, known[run_id].engine, of, of_run, _told(of, of_run))
            ]
            put_verdicts(conn, rows, p_values)
            tell(conn, series_key, said)

    def save_flips(self, series_key: str, found: Iterable[Flip], standing: Collection[Flip]) -> list[int]:
        """Store the series' flips as judged now; returns the numbers of those never seen before, for announcing.

        A flip that was seen (same metric, change and revisions) keeps its number and time. Those in `standing` stand;
        all others of the series, also stored ones that are not found any more, do not.
        """
        with self._db.write() as conn:
            return put_flips(conn, series_key, found, standing)

    def unannounced(self) -> list[FlipView]:
        """Flips that were told to nobody yet, oldest first."""
        with self._db.read() as conn:
            return flip_views(conn, announced=False)[::-1]

    def mark_announced(self, flip_ids: Iterable[int], now: float) -> None:
        """From `now` on these flips count as told; the first telling is the one that is remembered."""
        with self._db.write() as conn:
            for batch in batches(flip_ids):
                asked = (flips.c.id.in_(batch), flips.c.announced_at.is_(None))
                conn.execute(update(flips).where(*asked).values(announced_at=now))


def _told(revision: str, said: Iterable[Verdict]) -> dict[tuple[str, Metric], float]:
    """The q-values as the verdicts tell them."""
    told = {verdict.metric: dict(verdict.numbers).get("q") for verdict in said}
    return {(revision, metric): q for metric, q in told.items() if isinstance(q, float)}
