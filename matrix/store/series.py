"""Series: what the judge reads and what it says."""

import time
from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection, delete, insert, select, update

from matrix.core.errors import NotFoundError
from matrix.core.state import Flip, Metric, State, Verdict
from matrix.store.baselines import batches
from matrix.store.flipviews import flip_views
from matrix.store.pointrows import points_at, series_points
from matrix.store.points import StoredPoint
from matrix.store.tables import flips, runs, verdicts
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions, insert_new
from matrix.store.views import FlipView

_UNIQUE = ("series_key", "metric", "change", "from_revision", "to_revision")


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

    def save_verdicts(self, series_key: str, said: Mapping[str, Iterable[Verdict]]) -> None:
        """Replace all verdicts of the series by `said`: run id -> one verdict a metric."""
        with self._db.write() as conn:
            conn.execute(delete(verdicts).where(verdicts.c.series_key == series_key))
            of_series = select(runs.c.run_id, runs.c.revision).where(runs.c.series_key == series_key)
            revisions = {row.run_id: row.revision for row in conn.execute(of_series)}
            if strangers := sorted(said.keys() - revisions.keys()):
                raise NotFoundError(f"series {series_key} has no run {strangers[0]}")
            rows = [
                _verdict_row(series_key, run_id, revisions[run_id], verdict)
                for run_id, of_run in said.items()
                for verdict in of_run
            ]
            if rows:
                conn.execute(insert(verdicts), rows)

    def save_flips(self, series_key: str, found: Iterable[Flip], standing: Collection[Flip]) -> list[int]:
        """Store the series' flips as judged now; returns the numbers of those never seen before, for announcing.

        A flip that was seen (same metric, change and revisions) keeps its number and time. Those in `standing` stand;
        all others of the series, also stored ones that are not found any more, do not.
        """
        new = []
        with self._db.write() as conn:
            conn.execute(update(flips).where(flips.c.series_key == series_key).values(standing=False))
            for flip in found:
                row = _flip_row(series_key, flip, flip in standing)
                if insert_new(conn, flips, row | {"created_at": time.time()}, *_UNIQUE):
                    new.append(_flip_number(conn, row))
                else:
                    conn.execute(update(flips).where(flips.c.id == _flip_number(conn, row)).values(**row))
        return new

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


def _verdict_row(series_key: str, run_id: str, revision: str, verdict: Verdict) -> dict[str, object]:
    return {
        "series_key": series_key,
        "run_id": run_id,
        "metric": verdict.metric.value,
        "revision": revision,
        "state": verdict.state.value,
        "reason": stored_text(verdict.reason),
        "numbers": dict(verdict.numbers),
    }


def _flip_row(series_key: str, flip: Flip, standing: bool) -> dict[str, object]:
    return {
        "series_key": series_key,
        "metric": flip.metric.value,
        "change": flip.change.value,
        "from_revision": flip.before_revision,
        "to_revision": flip.after_revision,
        "before": flip.before.value,
        "after": flip.after.value,
        "reason": stored_text(flip.reason),
        "from_run": flip.before_run,
        "to_run": flip.after_run,
        "standing": standing,
    }


def _flip_number(conn: Connection, row: dict[str, object]) -> int:
    return int(conn.execute(select(flips.c.id).where(*(flips.c[name] == row[name] for name in _UNIQUE))).scalar_one())
