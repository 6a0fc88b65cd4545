"""Finds the no-draft run beside a run: same revision, target, launch options, workload, hardware and executor."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, select, tuple_

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store.order import recency_key
from matrix.store.speed import rate
from matrix.store.tables import runs

Place = tuple[str, str]
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
    """For each (baseline series key, revision) its newest baseline run that is ok; places without one are left out."""
    newest: dict[Place, Any] = {}
    for batch in batches(sorted(set(places))):
        for row in conn.execute(_query(batch)):
            place = (row.series_key, row.revision)
            if place not in newest or recency_key(row) > recency_key(newest[place]):
                newest[place] = row
    return {
        place: BaselineRun(row.run_id, row.id, rate(row.single_tokens, row.single_seconds), row.noise)
        for place, row in newest.items()
    }


def _query(places: Sequence[Place]) -> Any:
    """The pairs say what is wanted; the two lists let SQLite use an index, which it does not for pairs."""
    c = runs.c
    columns = (c.id, c.run_id, c.series_key, c.revision, c.outcome, c.finished_at, c.noise)
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
