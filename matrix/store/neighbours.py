"""Series seen beside a flip: how they stand at a revision, and whether they fell there too."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from matrix.core.state import Metric, State
from matrix.stats.sides import Neighbour
from matrix.store.baselines import batches
from matrix.store.flipviews import REGRESSIONS
from matrix.store.order import recency_key
from matrix.store.resultrows import COLUMNS, run_accept_length
from matrix.store.tables import flips, verdicts


def neighbours(conn: Connection, metric: Metric, *asked: ColumnElement[bool]) -> list[Neighbour]:
    """The newest run of each series and revision among the runs asked for, with the states judged there."""
    newest: dict[tuple[str, str], Row[Any]] = {}
    for row in sorted(conn.execute(select(*COLUMNS).where(*asked)), key=recency_key):
        newest[row.series_key, row.revision] = row
    keys, revisions = ({place[i] for place in newest} for i in (0, 1))
    said, fallen = states(conn, keys, revisions), _fallen(conn, keys, metric)
    return [_neighbour(row, metric, said, fallen) for _, row in sorted(newest.items())]


def _neighbour(row: Row[Any], metric: Metric, said: dict[Any, State], fallen: set[tuple[str, str]]) -> Neighbour:
    place = row.series_key, row.revision
    return Neighbour(
        series_key=row.series_key,
        engine=row.engine,
        revision=row.revision,
        target=row.target,
        draft=row.draft,
        method=row.method,
        spec=row.spec,
        workload=row.workload,
        launch=row.launch,
        state=said.get((*place, metric.value), State.UNKNOWN),
        fell=place in fallen,
        accept_length=run_accept_length(row),
        output=said.get((*place, Metric.OUTPUT.value), State.UNKNOWN),
    )


def states(conn: Connection, keys: set[str], revisions: set[str] | None = None) -> dict[tuple[str, str, str], State]:
    """States of these series by series, revision and metric; of one revision alone no other is read."""
    columns = (verdicts.c.series_key, verdicts.c.revision, verdicts.c.metric, verdicts.c.state)
    alone = [verdicts.c.revision == next(iter(revisions))] if revisions and len(revisions) == 1 else []
    found = {}
    for batch in batches(sorted(keys)):
        for row in conn.execute(select(*columns).where(verdicts.c.series_key.in_(batch), *alone)):
            found[row.series_key, row.revision, row.metric] = State(row.state)
    return found


def healthy(conn: Connection, keys: set[str]) -> set[tuple[str, str]]:
    """(series, revision) of these series wherever the accept length is healthy."""
    said = states(conn, keys)
    return {place[:2] for place, state in said.items() if place[2] == Metric.ACCEPT_LENGTH and state is State.HEALTHY}


def _fallen(conn: Connection, keys: set[str], metric: Metric) -> set[tuple[str, str]]:
    words = [change.value for change in REGRESSIONS]
    found = set()
    for batch in batches(sorted(keys)):
        asked = (flips.c.series_key.in_(batch), flips.c.metric == metric.value, flips.c.change.in_(words))
        rows = conn.execute(select(flips.c.series_key, flips.c.to_revision).where(*asked))
        found |= {(row.series_key, row.to_revision) for row in rows}
    return found
