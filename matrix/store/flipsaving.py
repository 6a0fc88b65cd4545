"""Stores the flips of a series beside those that are stored already."""

import time
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select, update

from matrix.core.state import Flip
from matrix.store.samplerow import Values
from matrix.store.tables import flips
from matrix.store.texts import stored_text
from matrix.store.transactions import insert_new

_UNIQUE = ("series_key", "metric", "change", "from_revision", "to_revision")


def put_flips(conn: Connection, series_key: str, found: Iterable[Flip], standing: Collection[Flip]) -> list[int]:
    """See `Series.save_flips`; rows that say the same already are not written again."""
    stored = {_name(row): row for row in conn.execute(select(flips).where(flips.c.series_key == series_key))}
    said = [_flip_row(series_key, flip, flip in standing) for flip in found]
    names = {tuple(row[name] for name in _UNIQUE) for row in said}
    gone = [row.id for name, row in stored.items() if row.standing and name not in names]
    for number in gone:
        conn.execute(update(flips).where(flips.c.id == number).values(standing=False))
    new = []
    for row in said:
        old = stored.get(tuple(row[name] for name in _UNIQUE))
        if old is None and insert_new(conn, flips, row | {"created_at": time.time()}, *_UNIQUE):
            new.append(int(conn.execute(select(flips.c.id).where(*_same(row))).scalar_one()))
        elif old is None or any(getattr(old, name) != value for name, value in row.items()):
            conn.execute(update(flips).where(*_same(row)).values(**row))
    return new


def _same(row: Values) -> list[ColumnElement[bool]]:
    return [flips.c[name] == row[name] for name in _UNIQUE]


def _name(row: Row[Any]) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in _UNIQUE)


def _flip_row(series_key: str, flip: Flip, standing: bool) -> Values:
    return {
        "series_key": series_key,
        "metric": flip.metric.value,
        "change": flip.change.value,
        "from_revision": flip.before_revision,
        "to_revision": flip.after_revision,
        "before": flip.before.value,
        "after": flip.after.value,
        "reason": stored_text(flip.reason),
        "from_run": flip.before_run,
        "to_run": flip.after_run,
        "standing": standing,
    }
