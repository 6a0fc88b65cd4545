"""One revision of an engine, as its page and the API show it."""

from dataclasses import asdict, dataclass, field
from typing import Any

from matrix.core.state import Change, State
from matrix.engines.quirks import Quirk
from matrix.engines.registry import doubt
from matrix.engines.told import quirks_at, released, span
from matrix.plan.config import ENGINES
from matrix.stats.differences import lock_differences
from matrix.store import Store
from matrix.store.releases import ReleaseArtifact, ReleaseCell, ReleaseRows
from matrix.store.states import worst
from matrix.store.views import FlipView, ResultRow, VerdictView


@dataclass(frozen=True, slots=True)
class ReleaseCellView:
    """`state` is the worst known state of the cell's metrics, `reason` why."""

    row: ResultRow
    state: str
    reason: str
    verdicts: list[VerdictView]


@dataclass(frozen=True, slots=True)
class QuirkView:
    """A row of the quirks table; `what` is empty where the release lacks the topic; `unverified`: no wheel shows it."""

    topic: str
    what: str
    span: str
    reason: str
    link: str
    unverified: bool


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """`began` are flips for the worse seen here, `ended` those for the better, `other` the rest; `later` are flips that
    the next measured revision brought. `here` are quirks that begin or end with this release, `known` all others that
    hold. `doubt` says that the rules are unverified for it, `packages` what differs from `previous`.
    """

    engine: str
    revision: str
    released: str | None
    doubt: str
    previous: str | None
    next: str | None
    states: dict[str, int]
    cells: list[ReleaseCellView]
    artifacts: list[ReleaseArtifact]
    packages: list[str]
    began: list[FlipView]
    ended: list[FlipView]
    other: list[FlipView]
    later: list[FlipView]
    here: list[QuirkView] = field(default_factory=list)
    known: list[QuirkView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EngineView:
    """An engine's revisions that were run, newest first, with the day each was published where that is known."""

    engine: str
    revisions: list[tuple[str, str | None]]


_LOOKED_AT = 8
"""Series whose locks are looked at: those of one revision and install are mostly one."""
_WORSE = (Change.REGRESSION, Change.NEW_FAILURE, Change.STILL_FAILING)
_BETTER = (Change.FIXED, Change.NEW_PASS)


def release(store: Store, engine: str, revision: str) -> ReleaseView:
    """NotFoundError where the engine has no run at the revision."""
    rows = store.compare.release(engine, revision)
    cells = [_cell(cell) for cell in rows.cells]
    quirks = quirks_at(engine, revision)
    told = [(_quirk(row), revision in (row.since, row.until)) for row in quirks]
    return ReleaseView(
        engine=engine,
        revision=revision,
        released=released(engine, revision),
        doubt=doubt(engine, revision) if engine in ENGINES else "",
        states={state.value: n for state in State if (n := sum(c.state == state for c in cells))},
        cells=cells,
        packages=_packages(store, rows),
        here=[view for view, bound in told if bound],
        known=[view for view, bound in told if not bound],
        **_flips(rows),
    )


def engine_view(store: Store, engine: str) -> EngineView:
    """The engine's revisions; empty for one that was never run."""
    found = store.compare.revisions(engine)
    return EngineView(engine, [(name, released(engine, name)) for name in found])


def engines(store: Store) -> list[EngineView]:
    """The engines that were run."""
    found = (engine_view(store, engine) for engine in ENGINES)
    return [view for view in found if view.revisions]


def _flips(rows: ReleaseRows) -> dict[str, Any]:
    kinds = {
        "began": [f for f in rows.flips if f.change in _WORSE],
        "ended": [f for f in rows.flips if f.change in _BETTER],
        "other": [f for f in rows.flips if f.change not in (*_WORSE, *_BETTER)],
    }
    return kinds | {name: getattr(rows, name) for name in ("previous", "next", "artifacts", "later")}


def _cell(cell: ReleaseCell) -> ReleaseCellView:
    shown = worst(cell.verdicts)
    return ReleaseCellView(cell.row, shown.state, shown.reason, cell.verdicts)


def _quirk(row: Quirk) -> QuirkView:
    told = asdict(row)
    return QuirkView(
        span=span(row), unverified=not row.witnesses, **{n: told[n] for n in ("topic", "what", "reason", "link")}
    )


def _packages(store: Store, rows: ReleaseRows) -> list[str]:
    """What differs between the locks of this revision and the one before it, from a series that ran on both."""
    if rows.previous is None:
        return []
    cells = store.compare.cells({"engine": rows.engine, "revision": rows.previous})
    before = {cell.series_key: cell.run_id for cell in cells}
    runs = [(before[c.row.series_key], c.row.run_id) for c in rows.cells if c.row.series_key in before][:_LOOKED_AT]
    sides = store.compare.sides(run for pair in runs for run in pair)
    return next((found for old, new in runs if (found := lock_differences(sides[old], sides[new]))), [])
