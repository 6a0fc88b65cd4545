"""Series seen beside a flip: how they stand at a revision, and whether they fell there too."""

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from matrix.core.state import Metric, State
from matrix.stats.sides import Neighbour
from matrix.store.baselines import batches
from matrix.store.flipviews import REGRESSIONS
from matrix.store.order import followed
from matrix.store.revisions import newest_revisions
from matrix.store.tables import flips, series, squares, verdicts

_ABOUT = tuple(
    series.c[name] for name in ("series_key", "engine", "target", "draft", "method", "spec", "workload", "launch")
)
_BLOCK = 16
_STATES = {state.value: state for state in State}


def neighbours(
    conn: Connection, metric: Metric, revisions: Collection[str], *asked: ColumnElement[bool]
) -> list[Neighbour]:
    """The newest run at each of these revisions of the series asked for, with the states judged there."""
    where = (*asked, followed(series.c.series_key))
    about = {row.series_key: row for row in conn.execute(select(*_ABOUT).where(*where).order_by(series.c.series_key))}
    found: list[Neighbour] = []
    for batch in batches(about):
        at = (squares.c.series_key.in_(batch), squares.c.revision.in_(revisions))
        said, fallen = _said(conn, metric, at), _fallen(conn, batch, metric)
        columns = (squares.c.series_key, squares.c.revision, squares.c.accept_length)
        for key, revision, length in conn.execute(select(*columns).where(*at).order_by(*columns[:2])):
            told = said.get((key, revision), {})
            found.append(_neighbour(about[key], revision, length, told, metric, (key, revision) in fallen))
    return found


def newest_known(conn: Connection, metric: Metric, engine: str, *asked: ColumnElement[bool]) -> Neighbour | None:
    """Of the series of this engine that are asked for, one at the newest revision where its state is known."""
    mine = (*asked, series.c.engine == engine)
    if conn.execute(select(series.c.series_key).where(*mine).limit(1)).first() is None:
        return None
    every = newest_revisions(conn, engine)
    at, size = 0, 1
    while block := every[at : at + size]:
        known = [n for n in neighbours(conn, metric, block, *mine) if n.state.known]
        if known:
            return min(reversed(known), key=lambda n: block.index(n.revision))
        # Mostly the newest one tells; where none of many does, few questions are asked.
        at, size = at + size, min(2 * size, _BLOCK)
    return None


Said = dict[tuple[str, str], dict[str, State]]


def _said(
    conn: Connection, metric: Metric, at: Iterable[ColumnElement[bool]]
) -> dict[tuple[str, str], dict[str, State]]:
    """By series and revision the states of the metric and of the output."""
    columns = (verdicts.c.series_key, verdicts.c.revision, verdicts.c.metric, verdicts.c.state)
    same = (verdicts.c.series_key == squares.c.series_key) & (verdicts.c.run_id == squares.c.run_id)
    wanted = verdicts.c.metric.in_({metric.value, Metric.OUTPUT.value})
    found: Said = {}
    for key, revision, name, state in conn.execute(select(*columns).join(squares, same).where(*at, wanted)):
        found.setdefault((key, revision), {})[name] = _STATES[state]
    return found


def _neighbour(
    about: Row[Any], revision: str, length: float | None, said: dict[str, State], metric: Metric, fell: bool
) -> Neighbour:
    return Neighbour(
        series_key=about.series_key,
        engine=about.engine,
        revision=revision,
        target=about.target,
        draft=about.draft,
        method=about.method,
        spec=about.spec,
        workload=about.workload,
        launch=about.launch,
        state=said.get(metric.value, State.UNKNOWN),
        fell=fell,
        accept_length=length,
        output=said.get(Metric.OUTPUT.value, State.UNKNOWN),
    )


def states(conn: Connection, keys: set[str], revisions: set[str] | None = None) -> dict[tuple[str, str, str], State]:
    """States of these series by series, revision and metric; of one revision alone no other is read."""
    columns = (verdicts.c.series_key, verdicts.c.revision, verdicts.c.metric, verdicts.c.state)
    alone = [verdicts.c.revision == next(iter(revisions))] if revisions and len(revisions) == 1 else []
    found = {}
    for batch in batches(sorted(keys)):
        for row in conn.execute(select(*columns).where(verdicts.c.series_key.in_(batch), *alone)):
            found[row.series_key, row.revision, row.metric] = _STATES[row.state]
    return found


def healthy(conn: Connection, keys: set[str]) -> set[tuple[str, str]]:
    """(series, revision) of these series wherever the accept length is healthy."""
    said = states(conn, keys)
    return {place[:2] for place, state in said.items() if place[2] == Metric.ACCEPT_LENGTH and state is State.HEALTHY}


def _fallen(conn: Connection, keys: Collection[str], metric: Metric) -> set[tuple[str, str]]:
    words = [change.value for change in REGRESSIONS]
    asked = (flips.c.series_key.in_(keys), flips.c.metric == metric.value, flips.c.change.in_(words))
    rows = conn.execute(select(flips.c.series_key, flips.c.to_revision).where(*asked))
    return {(row.series_key, row.to_revision) for row in rows}
