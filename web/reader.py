"""What the dashboard needs from a store: read models only. Any object with these methods will do."""

from collections.abc import Iterator
from typing import Protocol

from matrix.app.answered import Answer
from matrix.app.regression import ExpectationView, Regression
from matrix.core.answer import Question
from matrix.store.views import Overview, ResultRow, RunView, SeriesView, SweepView


class Reader(Protocol):
    """Read side of the store. A key that does not exist raises `matrix.core.errors.NotFoundError`."""

    def overview(self) -> Overview: ...

    def series(self, series_key: str, /) -> SeriesView: ...

    def run(self, run_id: str, /) -> RunView: ...

    def sweep(self, sweep_id: int, /) -> SweepView: ...

    def latest_sweep(self) -> SweepView | None: ...

    def regressions(self, standing: bool = True, series_key: str | None = None) -> list[Regression]:
        """Flips for the worse, explained; with `standing` only those that nothing later has fixed."""

    def expectations(self, run_id: str, /) -> list[ExpectationView]:
        """What was published of the run's draft, set against what it measured; empty for none."""

    def compat(self, question: Question, /) -> Answer:
        """Which version works; NotFoundError where nothing is known of the model, ConfigError for a wrong name."""

    def results(self) -> Iterator[ResultRow]:
        """Every run."""

    def log_text(self, ref: str, /) -> str: ...
