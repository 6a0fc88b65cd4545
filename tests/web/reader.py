"""A reader over plain dictionaries; what is not in them does not exist."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeVar

from matrix.app.answered import Answer
from matrix.app.attribute import Listed
from matrix.app.bisect.views import BisectionItem, BisectionView
from matrix.app.compared import Compared
from matrix.app.draft import DraftView
from matrix.app.regression import ExpectationView, Regression
from matrix.app.release import EngineView, ReleaseView
from matrix.app.service import StatusView
from matrix.core.answer import Question
from matrix.core.errors import NotFoundError
from matrix.store import Filters
from matrix.store.narrow import EVERYTHING, VALUES, Narrow
from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView
from tests.web import build
from web.reader import ALL_RUNS

Key = TypeVar("Key")
Value = TypeVar("Value")


def empty_overview() -> Overview:
    return Overview(regressions=[], fixed=[], heatmaps=[], sweep=None, runs=0)


@dataclass
class DictReader:
    seen: Overview = field(default_factory=empty_overview)
    all_series: dict[str, SeriesView] = field(default_factory=dict)
    runs: dict[str, RunView] = field(default_factory=dict)
    sweeps: dict[int, SweepView] = field(default_factory=dict)
    flips: list[FlipView] = field(default_factory=list)
    logs: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    published: dict[str, list[ExpectationView]] = field(default_factory=dict)
    searches: dict[int, BisectionView] = field(default_factory=dict)
    compared: dict[tuple[str, str], Compared] = field(default_factory=dict)
    releases: dict[tuple[str, str], ReleaseView] = field(default_factory=dict)
    all_drafts: dict[str, DraftView] = field(default_factory=dict)
    service: StatusView = field(default_factory=build.status)
    asked: list[Narrow] = field(default_factory=list)

    def overview(self, narrow: Narrow = EVERYTHING, /) -> Overview:
        self.asked.append(narrow)
        return self.seen

    def choices(self) -> dict[str, list[str]]:
        rows = [row for heatmap in self.seen.heatmaps for row in heatmap.rows]
        found = {name: sorted({getattr(row, name) or "" for row in rows} - {""}) for name in VALUES if name != "engine"}
        return found | {"engine": [heatmap.engine for heatmap in self.seen.heatmaps]}

    def changes(self, since: float, /) -> list[FlipView]:
        return [flip for flip in self.flips if flip.created_at >= since]

    def status(self) -> StatusView:
        return self.service

    def drafts(self) -> list[str]:
        return sorted(self.all_drafts)

    def draft(self, name: str, /) -> DraftView:
        return _get(self.all_drafts, name, "draft")

    def series(self, series_key: str, newest: int | None = None, /) -> SeriesView:
        return _get(self.all_series, series_key, "series")

    def run(self, run_id: str, /) -> RunView:
        return _get(self.runs, run_id, "run")

    def sweep(self, sweep_id: int, /) -> SweepView:
        return _get(self.sweeps, sweep_id, "sweep")

    def latest_sweep(self) -> SweepView | None:
        return self.sweeps[max(self.sweeps)] if self.sweeps else None

    def regressions(self, standing: bool = True, series_key: str | None = None) -> list[Regression]:
        found = [f for f in self.flips if (f.standing or not standing) and series_key in (None, f.series_key)]
        return [f if isinstance(f, Regression) else Regression(**asdict(f)) for f in found]

    def listed(self, standing: bool, fits: Callable[[FlipView], bool], first: int, most: int, /) -> Listed:
        found = [item for item in self.regressions(standing) if fits(item)]
        return Listed(found[first : first + most], len(found))

    def falls(self, series_key: str, to_run: str | None = None, /) -> list[Regression]:
        return [item for item in self.regressions(to_run is None, series_key) if to_run in (None, item.to_run)]

    def expectations(self, run_id: str, /) -> list[ExpectationView]:
        return self.published.get(run_id, [])

    def compat(self, question: Question, /) -> Answer:
        return _get(self.answers, question.model, "model")

    def compare(self, a: str, b: str, where: str = "", /) -> Compared:
        return _get(self.compared, (a, b), "comparison")

    def release(self, engine: str, revision: str, /) -> ReleaseView:
        return _get(self.releases, (engine, revision), "revision")

    def engines(self) -> list[EngineView]:
        names = sorted({engine for engine, _ in self.releases})
        return [EngineView(name, [(r, None) for engine, r in self.releases if engine == name]) for name in names]

    def results(self, filters: Filters = ALL_RUNS, /) -> Iterator[ResultRow]:
        asked = {name: getattr(filters, name) for name in ("engine", "target", "draft", "outcome", "run_id")}
        rows = (run.row for run in self.runs.values())
        return (row for row in rows if all(value in (None, getattr(row, name)) for name, value in asked.items()))

    def series_keys(self) -> list[str]:
        return sorted(self.all_series)

    def regression(self, flip_id: int, /) -> Regression:
        return _get({item.flip_id: item for item in self.regressions(False)}, flip_id, "regression")

    def log_text(self, ref: str, /) -> str:
        return _get(self.logs, ref, "log")

    def bisections(self) -> list[BisectionItem]:
        return [found.item for _, found in sorted(self.searches.items(), reverse=True)]

    def bisection(self, number: int, /) -> BisectionView:
        return _get(self.searches, number, "bisection")

    def bisection_log(self, number: int, /) -> str:
        item = _get(self.searches, number, "bisection").item
        return f"git bisect start '{item.bad}' '{item.good}'\n"

    def covering(self, flips: Sequence[FlipView], /) -> dict[int, list[BisectionItem]]:
        return {f.flip_id: [b for b in self.bisections() if b.bad == f.to_revision] for f in flips}

    def asked_by(self, run_id: str, /) -> list[BisectionItem]:
        return [b.item for b in self.searches.values() if any(a.run_id == run_id for a in b.answers)]


def _get(found: dict[Key, Value], key: Key, what: str) -> Value:
    if key not in found:
        raise NotFoundError(f"no {what} {key}", hint="see the overview for what there is")
    return found[key]
