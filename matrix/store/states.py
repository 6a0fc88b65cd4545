"""Verdicts as views, and which of a square's states is the one to show."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.state import Metric, State
from matrix.store.tables import verdicts
from matrix.store.views import VerdictView

_WORST_FIRST = (
    State.BROKEN,
    State.WRONG_OUTPUT,
    State.COLLAPSED,
    State.DEGRADED,
    State.SLOWER,
    State.SUSPICIOUS_HIGH,
    State.UNKNOWN,
    State.HEALTHY,
    State.NOT_APPLICABLE,
)
_METRICS = tuple(metric.value for metric in Metric)
_NOT_JUDGED = VerdictView("", State.UNKNOWN.value, "not judged yet")


def verdict_view(row: Row[Any]) -> VerdictView:
    """From a row of `verdicts`."""
    return VerdictView(row.metric, row.state, row.reason, row.numbers)


def verdicts_by_run(
    conn: Connection, series_key: str, run_ids: Sequence[str] | None = None
) -> dict[str, list[VerdictView]]:
    """Verdicts of one series (of these runs, or all) by run id; metrics in the order of `Metric`."""
    query = select(verdicts).where(verdicts.c.series_key == series_key)
    if run_ids is not None:
        query = query.where(verdicts.c.run_id.in_(run_ids))
    found: dict[str, list[VerdictView]] = {}
    for row in sorted(conn.execute(query), key=lambda row: _METRICS.index(row.metric)):
        found.setdefault(row.run_id, []).append(verdict_view(row))
    return found


def run_verdicts(conn: Connection, series_key: str, run_id: str) -> list[VerdictView]:
    """Verdicts of one run of the series, metrics in the order of `Metric`."""
    mine = (verdicts.c.series_key == series_key, verdicts.c.run_id == run_id)
    rows = conn.execute(select(verdicts).where(*mine)).all()
    return [verdict_view(row) for row in sorted(rows, key=lambda row: _METRICS.index(row.metric))]


def worst(found: Sequence[VerdictView]) -> VerdictView:
    """The verdict a square shows: the worst state, where a speed or an output that is unknown hides nothing known."""
    return min(_shown(found), key=lambda v: _WORST_FIRST.index(State(v.state)), default=_NOT_JUDGED)


def worst_of(states: Iterable[str]) -> str:
    """The worst of several squares' states; unknown for none."""
    return min(states, key=lambda state: _WORST_FIRST.index(State(state)), default=State.UNKNOWN.value)


def _shown(found: Sequence[VerdictView]) -> Iterable[VerdictView]:
    if not any(State(v.state).known for v in found):
        return found
    return [v for v in found if v.metric == Metric.ACCEPT_LENGTH.value or v.state != State.UNKNOWN.value]
