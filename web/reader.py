"""What the dashboard needs from a store: read models only. Any object with these methods will do."""

from collections.abc import Iterator
from typing import Protocol

from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView


class Reader(Protocol):
    """Read side of the store. A key that does not exist raises `matrix.core.errors.NotFoundError`."""

    def overview(self) -> Overview: ...

    def series(self, series_key: str, /) -> SeriesView: ...

    def run(self, run_id: str, /) -> RunView: ...

    def sweep(self, sweep_id: int, /) -> SweepView: ...

    def latest_sweep(self) -> SweepView | None: ...

    def regressions(self, standing: bool = True) -> list[FlipView]:
        """Flips for the worse; with `standing` only those that nothing later has fixed."""

    def results(self) -> Iterator[ResultRow]:
        """Every run."""

    def log_text(self, ref: str, /) -> str: ...
