"""Sweeps: one request for a set of cells each."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, insert, select, update

from matrix.core.errors import NotFoundError
from matrix.store.queue import cancel_waiting
from matrix.store.redact import redact, redact_value
from matrix.store.tables import sweeps
from matrix.store.transactions import Transactions


class SweepStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StoredSweep:
    """What a sweep was started with: its config file's path and text, and its terms (see `matrix.app.terms`)."""

    sweep_id: int
    config: str
    text: str
    terms: dict[str, Any]


class Sweeps:
    """Starts and ends sweeps; their jobs are in `Queue`."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def create(self, request: dict[str, Any], config_text: str, *, owner: str, tool_version: str) -> int:
        """Open a sweep; returns its number. `request` is what was asked for (selection, options), as JSON data."""
        row = {
            "request": redact_value(request),
            "config_text": redact(config_text),
            "config_hash": hashlib.sha256(config_text.encode()).hexdigest(),
            "status": SweepStatus.RUNNING.value,
            "owner": owner,
            "tool_version": tool_version,
            "created_at": time.time(),
        }
        with self._db.write() as conn:
            key = conn.execute(insert(sweeps).values(**row)).inserted_primary_key
            return int(key[0]) if key else 0

    def get(self, sweep_id: int) -> StoredSweep:
        """What this sweep was started with; NotFoundError for an unknown number."""
        with self._db.read() as conn:
            row = conn.execute(select(sweeps).where(sweeps.c.id == sweep_id)).first()
        if row is None:
            raise NotFoundError(f"there is no sweep {sweep_id}", hint="run `matrix status`")
        request = row.request or {}
        return StoredSweep(row.id, str(request.get("config") or ""), row.config_text, request.get("terms") or {})

    def last_config(self) -> str | None:
        """The path of the newest sweep's config file, as it was given then; None without a sweep."""
        with self._db.read() as conn:
            request = conn.execute(select(sweeps.c.request).order_by(sweeps.c.id.desc()).limit(1)).scalar()
        return str(request["config"]) if request and request.get("config") else None

    def finish(self, sweep_id: int, status: SweepStatus) -> None:
        """Close a running sweep; nothing happens to one that is closed. NotFoundError for an unknown number."""
        with self._db.write() as conn:
            if conn.execute(select(sweeps.c.id).where(sweeps.c.id == sweep_id)).first() is None:
                raise NotFoundError(f"there is no sweep {sweep_id}", hint="run `matrix status`")
            conn.execute(
                update(sweeps)
                .where(sweeps.c.id == sweep_id, sweeps.c.status == SweepStatus.RUNNING.value)
                .values(status=status.value, finished_at=time.time())
            )

    def interrupt_lost(self, is_alive: Callable[[str], bool]) -> list[int]:
        """Close running sweeps whose owner died: `interrupted`, their waiting jobs cancelled. Returns their numbers.

        Call it after `Queue.requeue_lost`, so that jobs the dead owner held are waiting ones.
        """
        with self._db.read() as conn:
            rows = conn.execute(
                select(sweeps.c.id, sweeps.c.owner).where(sweeps.c.status == SweepStatus.RUNNING.value)
            ).all()
        lost = [row.id for row in rows if not is_alive(row.owner)]
        with self._db.write() as conn:
            return [sweep_id for sweep_id in lost if _interrupt(conn, sweep_id)]


def _interrupt(conn: Connection, sweep_id: int) -> bool:
    closed = conn.execute(
        update(sweeps)
        .where(sweeps.c.id == sweep_id, sweeps.c.status == SweepStatus.RUNNING.value)
        .values(status=SweepStatus.INTERRUPTED.value, finished_at=time.time())
    )
    if closed.rowcount != 1:
        return False
    cancel_waiting(conn, sweep_id, "the sweep's process ended")
    return True
