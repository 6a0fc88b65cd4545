"""The read models: what pages, API and command line show. Each method is one consistent view of the database."""

from collections.abc import Iterator

from matrix.core.errors import NotFoundError
from matrix.plan.estimate import Past
from matrix.store.flipviews import REGRESSIONS, flip_views
from matrix.store.info import about_all
from matrix.store.kept import kept_of
from matrix.store.narrow import EVERYTHING, VALUES, Narrow
from matrix.store.overview import overview
from matrix.store.past import past
from matrix.store.results import Filters, distinct, results
from matrix.store.runviews import run_view
from matrix.store.seriesviews import series_view
from matrix.store.sweepviews import sweep_view
from matrix.store.transactions import Transactions
from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView

_ALL = Filters()
_TOO_GREAT = 2**63


class Read:
    """Nothing here changes anything."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def results(self, filters: Filters = _ALL) -> Iterator[ResultRow]:
        """Runs in the order they finished, read page by page."""
        return results(self._db, filters)

    def values(self, name: str) -> list[str]:
        """All values that runs have for a filter's name: what it can be asked for."""
        with self._db.read() as conn:
            return distinct(conn, name)

    def past(self) -> Past:
        """How long builds, starts and probes took here before."""
        with self._db.read() as conn:
            return past(conn)

    def overview(self, narrow: Narrow = EVERYTHING) -> Overview:
        """Standing regressions, fixes, heatmaps, the latest sweep and the number of runs."""
        with self._db.read() as conn:
            return overview(conn, narrow)

    def series(self, series_key: str, newest: int | None = None) -> SeriesView:
        """One series, or no more than its newest revisions; NotFoundError when unknown."""
        with self._db.read() as conn:
            return series_view(conn, series_key, newest)

    def run(self, run_id: str) -> RunView:
        """One run by its id or a unique beginning of it; NotFoundError for none or several."""
        with self._db.read() as conn:
            return run_view(conn, run_id)

    def sweep(self, sweep_id: int) -> SweepView:
        """One sweep with its jobs; NotFoundError when unknown."""
        with self._db.read() as conn:
            return sweep_view(conn, sweep_id)

    def latest_sweep(self) -> SweepView | None:
        """The sweep begun last, None before the first."""
        try:
            with self._db.read() as conn:
                return sweep_view(conn)
        except NotFoundError:
            return None

    def choices(self) -> dict[str, list[str]]:
        """What `Narrow` can be asked for: by name, all values that followed series have, sorted."""
        with self._db.read() as conn:
            about, kept = about_all(conn), kept_of(conn)
            found = kept.get("choices", about)
            if found is None:
                every = about.values()
                found = {name: sorted({value for info in every if (value := getattr(info, name))}) for name in VALUES}
                kept.put("choices", about, found)
        return dict(found)

    def changes(self, since: float) -> list[FlipView]:
        """Every flip first seen at that moment (Unix seconds) or later, the newest first."""
        with self._db.read() as conn:
            return flip_views(conn, since=since)

    def series_keys(self) -> list[str]:
        """The keys of all series that are followed and have a run, by what they are about."""
        with self._db.read() as conn:
            return [info.series_key for info in sorted(about_all(conn).values(), key=lambda i: (i.title, i.series_key))]

    def flip(self, flip_id: int) -> FlipView:
        """One flip by its number; NotFoundError when unknown."""
        with self._db.read() as conn:
            found = flip_views(conn, flip_id=flip_id) if 0 < flip_id < _TOO_GREAT else []
        if not found:
            raise NotFoundError(f"there is no change of state number {flip_id}", hint="see `matrix regressions`")
        return found[0]

    def regressions(self, standing: bool | None = True) -> list[FlipView]:
        """Flips for the worse, the newest first: those that stand, those that do not any more, or (None) all."""
        with self._db.read() as conn:
            return flip_views(conn, changes=REGRESSIONS, standing=standing)

    def falls(self, series_key: str) -> list[FlipView]:
        """All flips for the worse of one series, the newest first."""
        with self._db.read() as conn:
            return flip_views(conn, series_key=series_key, changes=REGRESSIONS)
