"""What the dashboard needs from a store: read models only. Any object with these methods will do."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from matrix.app.answered import Answer
from matrix.app.attribute import Listed
from matrix.app.bisect.views import BisectionItem, BisectionView
from matrix.app.compared import Compared
from matrix.app.draft import DraftView
from matrix.app.regression import ExpectationView, Regression
from matrix.app.release import EngineView, ReleaseView
from matrix.app.service import StatusView
from matrix.core.answer import Question
from matrix.store import Filters
from matrix.store.narrow import EVERYTHING, Narrow
from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView

ALL_RUNS = Filters()


class Reader(Protocol):
    """Read side of the store. A key that does not exist raises `matrix.core.errors.NotFoundError`."""

    def overview(self, narrow: Narrow = EVERYTHING, /) -> Overview:
        """The first page, or the part of it that was asked for."""

    def choices(self) -> dict[str, list[str]]:
        """What the first page can be narrowed to: by name of `Narrow`, all values there are."""

    def changes(self, since: float, /) -> list[FlipView]:
        """Every change of state seen at that moment (Unix seconds) or later, the newest first."""

    def status(self) -> StatusView:
        """What the service says of itself."""

    def drafts(self) -> list[str]:
        """The drafts that were run, reported or published about, sorted."""

    def draft(self, name: str, /) -> DraftView:
        """One draft; NotFoundError for one of which nothing is stored."""

    def series(self, series_key: str, newest: int | None = None, /) -> SeriesView:
        """One series, or no more than its newest revisions."""

    def run(self, run_id: str, /) -> RunView: ...

    def sweep(self, sweep_id: int, /) -> SweepView: ...

    def latest_sweep(self) -> SweepView | None: ...

    def regressions(self, standing: bool = True, series_key: str | None = None) -> list[Regression]:
        """Flips for the worse, explained; with `standing` only those that nothing later has fixed."""

    def listed(self, standing: bool, fits: Callable[[FlipView], bool], first: int, most: int, /) -> Listed:
        """Some of the regressions that fit: see `matrix.app.attribute.listed`."""

    def falls(self, series_key: str, to_run: str | None = None, /) -> list[Regression]:
        """The flips for the worse of one series that stand, or those that one run of it showed, explained.

        None is numbered by its group.
        """

    def expectations(self, run_id: str, /) -> list[ExpectationView]:
        """What was published of the run's draft, set against what it measured; empty for none."""

    def compat(self, question: Question, /) -> Answer:
        """Which release works; NotFoundError where nothing is known of the model, ConfigError for a wrong name."""

    def compare(self, a: str, b: str, where: str = "", /) -> Compared:
        """Two sides set against each other: see `matrix.app.compare.compare`."""

    def release(self, engine: str, revision: str, /) -> ReleaseView:
        """One revision of an engine."""

    def engines(self) -> list[EngineView]:
        """The engines that were run, each with its revisions, newest first."""

    def results(self, filters: Filters = ALL_RUNS, /) -> Iterator[ResultRow]:
        """The runs that fit, in the order they finished."""

    def series_keys(self) -> list[str]:
        """The keys of all series that have a run."""

    def regression(self, flip_id: int, /) -> Regression:
        """One flip for the worse, explained; NotFoundError for a number that is none."""

    def log_text(self, ref: str, /) -> str: ...

    def bisections(self) -> list[BisectionItem]:
        """All bisections, the newest first."""

    def bisection(self, number: int, /) -> BisectionView: ...

    def bisection_log(self, number: int, /) -> str:
        """Its answers as `git bisect log` prints them."""

    def covering(self, flips: Sequence[FlipView], /) -> dict[int, list[BisectionItem]]:
        """By flip number, the bisections that lie around it, the newest first."""

    def asked_by(self, run_id: str, /) -> list[BisectionItem]:
        """The bisections that took a run for an answer."""
