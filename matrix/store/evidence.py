"""Measured evidence about models: of each series the newest run at each revision, with what the judge says of it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from matrix.core.spec import Method
from matrix.core.state import State
from matrix.store.baselines import batches
from matrix.store.order import followed
from matrix.store.revisions import newest_revisions
from matrix.store.speed import ratio
from matrix.store.tables import series, squares
from matrix.store.transactions import Transactions

_LEAST, _SQUARES = 8, 800
"""Revisions that are read at a time, the newest first: at least so many, of few series more, to about so many squares.
"""
_ENOUGH = 3
"""Healthy revisions of one engine after which none older is read: the choice and what is next best."""
_NEAR = 5


@dataclass(frozen=True, slots=True)
class Tested:
    """A series with a draft: what it is about."""

    series_key: str
    engine: str
    target: str
    target_content: str | None
    draft: str | None
    draft_content: str | None
    method: str
    k: int | None
    workload: str
    hardware: str


@dataclass(frozen=True, slots=True)
class Measured:
    """The newest run of a series at a revision. `noise` is a share of the accept length; None is not known."""

    about: Tested
    revision: str
    run_id: str
    state: State
    reason: str
    accept_length: float | None
    noise: float | None
    speedup: float | None
    finished_at: float


Distance = Callable[[Tested], tuple[Any, ...]]
"""How far a series is from what is asked; empty where it fits."""
_ABOUT = tuple(series.c[name] for name in Tested.__slots__)
_SQUARE = (
    squares.c.series_key,
    squares.c.revision,
    squares.c.run_id,
    squares.c.state,
    squares.c.why,
    squares.c.reason,
    squares.c.accept_length,
    squares.c.noise,
    squares.c.tok_s,
    squares.c.baseline_tok_s,
    squares.c.finished_at,
)


class EvidenceReader:
    """Only reads; no question goes over all runs or all revisions of a model."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def targets(self) -> list[str]:
        """The names of all models that were served here, sorted."""
        query = select(series.c.target).where(followed(series.c.series_key)).distinct()
        with self._db.read() as conn:
            return sorted(conn.scalars(query))

    def drafts(self) -> list[str]:
        """The names of all drafts that were run here, sorted."""
        asked = (followed(series.c.series_key), series.c.draft.is_not(None))
        with self._db.read() as conn:
            return sorted(conn.scalars(select(series.c.draft).where(*asked).distinct()))

    def draft_contents(self, draft: str) -> list[str]:
        """The content hashes that this draft was run with, sorted."""
        asked = (series.c.draft == draft, series.c.draft_content.is_not(None))
        with self._db.read() as conn:
            return sorted(conn.scalars(select(series.c.draft_content).where(*asked).distinct()))

    def with_content(self, beginning: str) -> list[str]:
        """The names of models whose content hash begins so, sorted."""
        asked = (followed(series.c.series_key), series.c.target_content.startswith(beginning, autoescape=True))
        with self._db.read() as conn:
            return sorted(conn.scalars(select(series.c.target).where(*asked).distinct()))

    def tested(self, targets: Iterable[str]) -> list[Tested]:
        """All series with a draft of these models."""
        with self._db.read() as conn:
            return _tested(conn, targets)

    def near(self, tested: Iterable[Tested], distance: Distance, versions: Collection[str] = ()) -> list[Measured]:
        """What those of the series that fit were measured as; where none is healthy, also those that come nearest.

        Revisions are read from the newest on until three of an engine are healthy. Those in `versions` are always read.
        """
        away = [(distance(one), one) for one in tested]
        every = groupby(sorted(away, key=lambda pair: pair[0]), key=lambda pair: pair[0])
        groups = [[one for _, one in group] for _, group in every]
        fits = bool(groups) and not min(gap for gap, _ in away)
        with self._db.read() as conn:
            found = list(_newest(conn, groups[0], versions)) if fits else []
            if any(m.state is State.HEALTHY for m in found):
                return found
            known = 0
            for group in groups[1 if fits else 0 :]:
                more = list(_newest(conn, group, ()))
                found += more
                known += sum(m.state.known for m in more)
                if known >= _NEAR:
                    break
            return found


def _tested(conn: Connection, targets: Iterable[str]) -> list[Tested]:
    found: list[Tested] = []
    for batch in batches(sorted(set(targets))):
        asked = (series.c.target.in_(batch), series.c.method != Method.NONE.value, followed(series.c.series_key))
        rows = conn.execute(select(*_ABOUT).where(*asked).order_by(series.c.series_key))
        found += [Tested(*row) for row in rows]
    return found


def _newest(conn: Connection, about: Sequence[Tested], versions: Collection[str]) -> Iterator[Measured]:
    engines: dict[str, dict[str, Tested]] = defaultdict(dict)
    for tested in about:
        engines[tested.engine][tested.series_key] = tested
    for engine in sorted(engines):
        mine = engines[engine]
        rows = _telling(conn, mine, newest_revisions(conn, engine), versions)
        yield from (_measured(mine[row[0]], *row[1:]) for row in rows)


def _telling(
    conn: Connection, mine: dict[str, Tested], every: Sequence[str], versions: Collection[str]
) -> Iterator[Sequence[Any]]:
    """Squares of the newest revisions up to the third healthy one: what is healthy there, and all that is not."""
    size = max(_LEAST, _SQUARES // len(mine))
    seen: list[str] = []
    healthy: set[str] = set()
    for at in range(0, len(every), size):
        block = every[at : at + size]
        seen += block
        healthy |= _healthy(conn, mine, block)
        if len(healthy) >= _ENOUGH:
            break
    chosen = [revision for revision in seen if revision in healthy][:_ENOUGH]
    # Most squares are healthy and older than the third: they are passed over where they lie.
    yield from _at(conn, mine, seen, squares.c.state != State.HEALTHY.value)
    yield from _at(conn, mine, list(dict.fromkeys((*chosen, *versions))), squares.c.state == State.HEALTHY.value)
    yield from _at(conn, mine, [v for v in versions if v not in seen], squares.c.state != State.HEALTHY.value)


def _healthy(conn: Connection, mine: dict[str, Tested], revisions: Sequence[str]) -> set[str]:
    """Those of the revisions at which any of the series is healthy."""
    found: set[str] = set()
    for batch in batches(sorted(mine)):
        asked = (squares.c.series_key.in_(batch), squares.c.revision.in_(revisions))
        healthy = squares.c.state == State.HEALTHY.value
        found |= set(conn.scalars(select(squares.c.revision).where(*asked, healthy).distinct()))
    return found


def _at(
    conn: Connection, mine: dict[str, Tested], revisions: Sequence[str], state: ColumnElement[bool]
) -> list[Sequence[Any]]:
    found: list[Sequence[Any]] = []
    for batch in batches(sorted(mine)) if revisions else ():
        asked = (squares.c.series_key.in_(batch), squares.c.revision.in_(revisions), state)
        found += conn.execute(select(*_SQUARE).where(*asked).order_by(squares.c.series_key, squares.c.revision))
    return found


def _measured(
    about: Tested,
    revision: str,
    run_id: str,
    state: str,
    why: str,
    reason: str,
    length: float | None,
    noise: float | None,
    speed: float | None,
    base: float | None,
    finished_at: float,
) -> Measured:
    return Measured(
        about, revision, run_id, State(state), why or reason, length, noise, ratio(speed, base), finished_at
    )
