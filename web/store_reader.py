"""The real store as the dashboard's reader."""

from collections.abc import Iterator

from matrix.store import Store
from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView


class StoreReader:
    """See `web.reader.Reader`."""

    def __init__(self, store: Store) -> None:
        self._read = store.read
        self._logs = store.logs

    def overview(self) -> Overview:
        return self._read.overview()

    def series(self, series_key: str) -> SeriesView:
        return self._read.series(series_key)

    def run(self, run_id: str) -> RunView:
        return self._read.run(run_id)

    def sweep(self, sweep_id: int) -> SweepView:
        return self._read.sweep(sweep_id)

    def latest_sweep(self) -> SweepView | None:
        return self._read.latest_sweep()

    def regressions(self, standing: bool = True) -> list[FlipView]:
        return self._read.regressions(standing=True if standing else None)

    def results(self) -> Iterator[ResultRow]:
        return self._read.results()

    def log_text(self, ref: str) -> str:
        return self._logs.read(ref)
