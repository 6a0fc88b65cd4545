"""Acknowledgements of regressions. A removed one stays as a row: it tells who knew what, and when."""

from typing import Any

from sqlalchemy import Row, insert, select, update

from matrix.core.ack import Ack, Scope
from matrix.core.errors import NotFoundError
from matrix.core.state import State
from matrix.store.tables import acks
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions


class Acks:
    """Adds, lists and ends acknowledgements."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def add(self, ack: Ack) -> int:
        """Store it; returns its number. `ack.ack_id` is ignored."""
        row = {
            "scope": ack.scope.value,
            "series_key": ack.series_key,
            "metric": ack.metric,
            "to_revision": ack.to_revision,
            "state": ack.state.value,
            "reason": stored_text(ack.reason),
            "created_at": ack.created_at,
            "until": ack.until,
        }
        with self._db.write() as conn:
            key = conn.execute(insert(acks).values(**row)).inserted_primary_key
            return int(key[0]) if key else 0

    def all(self) -> list[Ack]:
        """Every acknowledgement that was ever given, oldest first."""
        with self._db.read() as conn:
            return [_ack(row) for row in conn.execute(select(acks).order_by(acks.c.id))]

    def remove(self, ack_id: int, now: float) -> None:
        """End it at `now`; NotFoundError for a number that is unknown or ended already."""
        open_ = (acks.c.id == ack_id, acks.c.removed_at.is_(None))
        with self._db.write() as conn:
            if conn.execute(update(acks).where(*open_).values(removed_at=now)).rowcount != 1:
                raise NotFoundError(f"there is no acknowledgement {ack_id}", hint="`matrix ack --list` shows them")


def _ack(row: Row[Any]) -> Ack:
    return Ack(
        series_key=row.series_key,
        scope=Scope(row.scope),
        state=State(row.state),
        reason=row.reason,
        metric=row.metric,
        to_revision=row.to_revision,
        until=row.until,
        ack_id=row.id,
        created_at=row.created_at,
        removed_at=row.removed_at,
    )
