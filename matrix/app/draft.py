"""One draft: where it works, what was published and reported of it, and what was measured against that."""

from dataclasses import dataclass

from matrix.app.expected import expected_of_run
from matrix.app.regression import ExpectationView
from matrix.core.errors import NotFoundError
from matrix.core.expectation import Expectation
from matrix.core.report import Report
from matrix.plan.matching import same_model
from matrix.store import Store
from matrix.store.narrow import Narrow
from matrix.store.views import Heatmap, SeriesRow, Square

MOST_COMPARED = 24
"""Series whose newest run is set against what was published."""


@dataclass(frozen=True, slots=True)
class AgainstPublished:
    """The newest measured run of one series with the draft, and each published value set against it."""

    engine: str
    revision: str
    target: str
    spec: str
    series_key: str
    run_id: str
    accept_length: float | None
    expectations: list[ExpectationView]


@dataclass(frozen=True, slots=True)
class DraftView:
    """`contents` are the hashes of its weights as they were run (several where they changed under one name), `trends`
    the series of each engine that was measured at most revisions. `published` is as its author stated it, `against`
    what was measured beside it; `reports` are what others wrote.
    """

    name: str
    contents: list[str]
    methods: list[str]
    targets: list[str]
    heatmaps: list[Heatmap]
    trends: list[str]
    published: list[Expectation]
    against: list[AgainstPublished]
    reports: list[Report]


def drafts(store: Store) -> list[str]:
    """All drafts that were run, published about or reported, sorted."""
    reported = (report.draft for _, report in store.reports.with_drafts())
    return sorted({*store.evidence.drafts(), *store.published.all(), *reported})


def draft(store: Store, name: str) -> DraftView:
    """NotFoundError where nothing is stored of a draft of that name."""
    heatmaps = store.read.overview(Narrow(draft=name)).heatmaps
    rows = [row for heatmap in heatmaps for row in heatmap.rows]
    published = store.published.of(name)
    reports = [report for _, report in store.reports.with_drafts() if same_model(name, report.draft)]
    if not rows and not published and not reports:
        raise NotFoundError(f"nothing is stored of a draft `{name}`", hint="/drafts lists all")
    return DraftView(
        name=name,
        contents=store.evidence.draft_contents(name),
        methods=sorted({row.method for row in rows}),
        targets=sorted({row.target for row in rows}),
        heatmaps=heatmaps,
        trends=[_trend(heatmap) for heatmap in heatmaps if heatmap.rows],
        published=published,
        against=_against(store, heatmaps) if published else [],
        reports=reports,
    )


def _trend(heatmap: Heatmap) -> str:
    return max(heatmap.rows, key=_measured).series_key


def _measured(row: SeriesRow) -> int:
    return sum(square is not None and square.accept_length is not None for square in row.squares)


def _against(store: Store, heatmaps: list[Heatmap]) -> list[AgainstPublished]:
    """Rows without a published value that is about them are left out."""
    newest = [(h.engine, row, square) for h in heatmaps for row in h.rows if (square := _newest(row)) is not None]
    found = (_one(store, *place) for place in newest[:MOST_COMPARED])
    return [one for one in found if one.expectations]


def _one(store: Store, engine: str, row: SeriesRow, square: Square) -> AgainstPublished:
    run_id = square.run_id or ""
    told = expected_of_run(store, run_id)
    place = (engine, square.revision, row.target, row.spec, row.series_key, run_id)
    return AgainstPublished(*place, square.accept_length, told)


def _newest(row: SeriesRow) -> Square | None:
    measured = [s for s in row.squares if s is not None and s.run_id and s.accept_length is not None]
    return measured[-1] if measured else None
