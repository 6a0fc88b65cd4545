"""The real store as the dashboard's reader."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from matrix.app.answered import Answer
from matrix.app.attribute import Listed, acknowledged_flips, falls, listed, regressions
from matrix.app.bisect import show
from matrix.app.bisect.views import BisectionItem, BisectionView
from matrix.app.compare import compare
from matrix.app.compared import Compared
from matrix.app.compat import answer
from matrix.app.draft import DraftView, draft, drafts
from matrix.app.expected import expected_of_run
from matrix.app.regression import ExpectationView, Regression
from matrix.app.release import EngineView, ReleaseView, engines, release
from matrix.app.service import StatusView, disk_of, reliability_of, status
from matrix.core.answer import Question
from matrix.core.errors import NotFoundError
from matrix.store import Filters, Store
from matrix.store.narrow import EVERYTHING, Narrow
from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView
from web.kept import Kept
from web.reader import ALL_RUNS

_KEPT_S = 600
"""How long the measured false-flag rate and the room on disk are told again before they are worked out anew."""


class StoreReader:
    """See `web.reader.Reader`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read = store.read
        self._logs = store.logs
        self._reliability = Kept(lambda: reliability_of(store), _KEPT_S)
        self._disk = Kept(lambda: disk_of(store), _KEPT_S)

    def overview(self, narrow: Narrow = EVERYTHING, /) -> Overview:
        """The store's, its regressions marked where they are acknowledged."""
        seen = self._read.overview(narrow)
        known = acknowledged_flips(self._store)
        return replace(seen, regressions=[replace(f, acknowledged=f.flip_id in known) for f in seen.regressions])

    def choices(self) -> dict[str, list[str]]:
        return self._read.choices()

    def changes(self, since: float, /) -> list[FlipView]:
        return self._read.changes(since)

    def status(self) -> StatusView:
        return status(self._store, self._reliability.get(), self._disk.get())

    def drafts(self) -> list[str]:
        return drafts(self._store)

    def draft(self, name: str, /) -> DraftView:
        return draft(self._store, name)

    def series(self, series_key: str, newest: int | None = None, /) -> SeriesView:
        return self._read.series(series_key, newest)

    def run(self, run_id: str) -> RunView:
        return self._read.run(run_id)

    def sweep(self, sweep_id: int) -> SweepView:
        return self._read.sweep(sweep_id)

    def latest_sweep(self) -> SweepView | None:
        return self._read.latest_sweep()

    def regressions(self, standing: bool = True, series_key: str | None = None) -> list[Regression]:
        asked = True if standing else None
        return regressions(self._store, asked, series_key=series_key)

    def listed(self, standing: bool, fits: Callable[[FlipView], bool], first: int, most: int, /) -> Listed:
        return listed(self._store, True if standing else None, fits, first, most)

    def falls(self, series_key: str, to_run: str | None = None, /) -> list[Regression]:
        return falls(self._store, series_key, to_run=to_run, standing=to_run is None)

    def expectations(self, run_id: str) -> list[ExpectationView]:
        return expected_of_run(self._store, run_id)

    def compat(self, question: Question) -> Answer:
        return answer(self._store, question)

    def compare(self, a: str, b: str, where: str = "", /) -> Compared:
        return compare(self._store, a, b, where)

    def release(self, engine: str, revision: str, /) -> ReleaseView:
        return release(self._store, engine, revision)

    def engines(self) -> list[EngineView]:
        return engines(self._store)

    def results(self, filters: Filters = ALL_RUNS, /) -> Iterator[ResultRow]:
        return self._read.results(filters)

    def series_keys(self) -> list[str]:
        return self._read.series_keys()

    def regression(self, flip_id: int, /) -> Regression:
        flip = self._read.flip(flip_id)
        found = [item for item in self.falls(flip.series_key, flip.to_run) if item.flip_id == flip_id]
        if not found:
            raise NotFoundError(f"change of state {flip_id} is no regression: {flip.change}", hint="see /regressions")
        return found[0]

    def log_text(self, ref: str) -> str:
        return self._logs.read(ref)

    def bisections(self) -> list[BisectionItem]:
        return show.items(self._store)

    def bisection(self, number: int) -> BisectionView:
        return show.view(self._store, number)

    def bisection_log(self, number: int) -> str:
        return show.log_text(self._store, number)

    def covering(self, flips: Sequence[FlipView]) -> dict[int, list[BisectionItem]]:
        return show.covering(self._store, flips)

    def asked_by(self, run_id: str) -> list[BisectionItem]:
        return show.asked_by(self._store, run_id)
