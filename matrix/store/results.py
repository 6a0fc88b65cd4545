"""Runs in the order they finished, filtered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select

from matrix.store.baselines import BaselineRun, Place, newest_baselines, place_of
from matrix.store.order import revision_key
from matrix.store.resultrows import COLUMNS, result_row
from matrix.store.tables import runs
from matrix.store.transactions import Transactions
from matrix.store.views import ResultRow

_PAGE = 500
Beside = dict[Place, BaselineRun | None]


@dataclass(frozen=True, slots=True)
class Filters:
    """Exact values; None does not filter. `newest` first, and at most `limit` rows, when given."""

    engine: str | None = None
    revision: str | None = None
    target: str | None = None
    draft: str | None = None
    method: str | None = None
    spec: str | None = None
    workload: str | None = None
    executor: str | None = None
    outcome: str | None = None
    series_key: str | None = None
    run_id: str | None = None
    sweep_id: int | None = None
    newest: bool = False
    limit: int | None = None


_NOT_COLUMNS = ("newest", "limit")


def results(db: Transactions, filters: Filters) -> Iterator[ResultRow]:
    """Yield the runs page by page; each page is a transaction of its own, so a slow reader blocks nobody."""
    left = filters.limit
    beside: Beside = {}
    last: Row[Any] | None = None
    while left is None or left > 0:
        size = _PAGE if left is None else min(_PAGE, left)
        with db.read() as conn:
            page = _page(conn, filters, last, size)
            rows = result_rows(conn, page, beside)
        yield from rows
        if len(page) < size:
            return
        last = page[-1]
        left = None if left is None else left - size


def distinct(conn: Connection, name: str) -> list[str]:
    """All values that runs have in this filter's column; revisions in their order, others by the alphabet."""
    found = conn.scalars(select(runs.c[name]).distinct().where(runs.c[name].is_not(None)))
    return sorted(map(str, found), key=revision_key if name == "revision" else None)


def result_rows(conn: Connection, rows: Sequence[Row[Any]], beside: Beside | None = None) -> list[ResultRow]:
    """Result rows of these rows of `runs`, each with its baseline's speed; `beside` remembers them between calls."""
    known = {} if beside is None else beside
    unknown = {place_of(row) for row in rows} - known.keys()
    known.update(dict.fromkeys(unknown) | newest_baselines(conn, unknown))
    return [result_row(row, known[place_of(row)]) for row in rows]


def _page(conn: Connection, filters: Filters, last: Row[Any] | None, size: int) -> Sequence[Row[Any]]:
    time_, number = runs.c.finished_at, runs.c.id
    order = (time_.desc(), number.desc()) if filters.newest else (time_, number)
    query = select(*COLUMNS).where(*_conditions(filters)).order_by(*order).limit(size)
    if last is not None:
        query = query.where(_after(last, newest=filters.newest))
    return conn.execute(query).all()


def _after(last: Row[Any], *, newest: bool) -> ColumnElement[bool]:
    """The rows behind `last`; the plain bound comes first because an index can seek to it, but not to an OR."""
    time_, number, at = runs.c.finished_at, runs.c.id, last.finished_at
    if newest:
        return and_(time_ <= at, or_(time_ < at, number < last.id))
    return and_(time_ >= at, or_(time_ > at, number > last.id))


def _conditions(filters: Filters) -> list[ColumnElement[bool]]:
    names = [name for name in Filters.__dataclass_fields__ if name not in _NOT_COLUMNS]
    wanted = ((name, getattr(filters, name)) for name in names)
    return [runs.c[name] == value for name, value in wanted if value is not None]
