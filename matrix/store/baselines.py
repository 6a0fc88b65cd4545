"""Finds the no-draft run beside a run: same revision, target, launch options, workload, hardware and executor."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, select, tuple_

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store.order import recency_key
from matrix.store.speed import rate
from matrix.store.tables import runs

Place = tuple[str, str, int]
Item = TypeVar("Item")
_BATCH = 400


@dataclass(frozen=True, slots=True)
class BaselineRun:
    """`number` is its row in `runs`."""

    run_id: str
    number: int
    tok_s: float | None
    noise: dict[str, float]


def newest_baselines(conn: Connection, places: Iterable[Place]) -> dict[Place, BaselineRun]:
    """For each (baseline series key, revision, boot) its baseline run that is ok; places without one are left out.

    A baseline of the same boot goes before a newer one, so that a repeat changes nothing beside earlier runs.
    """
    wanted = set(places)
    found: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for batch in batches(sorted({(key, revision) for key, revision, _ in wanted})):
        for row in conn.execute(_query(batch)):
            found[row.series_key, row.revision].append(row)
    best = {place: max(rows, key=_fitness(place)) for place in wanted if (rows := found.get(place[:2]))}
    return {
        place: BaselineRun(row.run_id, row.id, rate(row.single_tokens, row.single_seconds), row.noise)
        for place, row in best.items()
    }


def place_of(row: Any) -> Place:
    """The place beside a row of `runs`."""
    return row.baseline_key, row.revision, row.boot


def _fitness(place: Place) -> Callable[[Any], tuple[bool, tuple[bool, float, int]]]:
    return lambda row: (row.boot == place[2], recency_key(row))


def _query(places: Sequence[tuple[str, str]]) -> Any:
    """The pairs say what is wanted; the two lists let SQLite use an index, which it does not for pairs."""
    c = runs.c
    columns = (c.id, c.run_id, c.series_key, c.revision, c.boot, c.outcome, c.finished_at, c.noise)
    return select(*columns, c.single_tokens, c.single_seconds).where(
        c.series_key.in_(sorted({key for key, _ in places})),
        c.revision.in_(sorted({revision for _, revision in places})),
        tuple_(c.series_key, c.revision).in_(places),
        c.method == Method.NONE.value,
        c.outcome == Outcome.OK.value,
    )


def batches(items: Iterable[Item], size: int = _BATCH) -> Iterator[list[Item]]:
    """Lists of at most `size`: databases limit the parameters of one statement."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
