"""Ticks: one row for each moment at which a schedule was due, so that no night is swept twice and none is lost."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Row, func, insert, select, update

from matrix.store.tables import ticks
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions


class TickStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Tick:
    """`slot` is the moment (Unix seconds) that the calendar named, `why` what asked for it, `note` how it ended."""

    tick_id: int
    schedule: str
    slot: float
    why: str
    status: TickStatus
    owner: str
    sweep_id: int | None
    note: str
    begun_at: float
    finished_at: float | None


class Ticks:
    """Begins and ends ticks. A schedule is any text that names one for good: its config file's whole path."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def begin(
        self, schedule: str, slot: float, why: str, owner: str, is_alive: Callable[[str], bool] = lambda owner: True
    ) -> int | None:
        """The number of this tick, now the caller's; None when it was begun before.

        One that a dead owner left running is taken over, so that a night that was killed goes on.
        """
        row: dict[str, str | float | None] = {"status": TickStatus.RUNNING.value, "owner": owner, "note": ""}
        row |= {"why": stored_text(why, 500), "begun_at": time.time(), "finished_at": None}
        with self._db.write() as conn:
            found = conn.execute(select(ticks).where(ticks.c.schedule == schedule, ticks.c.slot == slot)).first()
            if found is None:
                key = conn.execute(insert(ticks).values(schedule=schedule, slot=slot, **row)).inserted_primary_key
                return int(key[0]) if key else None
            if found.status != TickStatus.RUNNING.value or is_alive(found.owner):
                return None
            mine = update(ticks).where(ticks.c.id == found.id, ticks.c.owner == found.owner)
            return int(found.id) if conn.execute(mine.values(**row)).rowcount == 1 else None

    def finish(self, tick_id: int, status: TickStatus, *, sweep_id: int | None = None, note: str = "") -> None:
        """End a tick."""
        values = {"status": status.value, "sweep_id": sweep_id, "note": stored_text(note, 500)}
        with self._db.write() as conn:
            conn.execute(update(ticks).where(ticks.c.id == tick_id).values(finished_at=time.time(), **values))

    def last_slot(self, schedule: str, until: float = float("inf")) -> float | None:
        """The newest moment, not after `until`, for which a tick was begun; None for a schedule that never ticked.

        A slot in the future was begun before the clock was set back, and must not stop the nights until then.
        """
        mine = (ticks.c.schedule == schedule, ticks.c.slot <= until)
        with self._db.read() as conn:
            return conn.execute(select(func.max(ticks.c.slot)).where(*mine)).scalar()

    def at_work(self, schedule: str) -> bool:
        """True while a tick of the schedule has not ended."""
        open_ = (ticks.c.schedule == schedule, ticks.c.status == TickStatus.RUNNING.value)
        with self._db.read() as conn:
            return conn.execute(select(ticks.c.id).where(*open_).limit(1)).first() is not None

    def left_running(self, schedule: str, is_alive: Callable[[str], bool]) -> Tick | None:
        """The newest tick that a dead owner left running, or None."""
        open_ = (ticks.c.schedule == schedule, ticks.c.status == TickStatus.RUNNING.value)
        with self._db.read() as conn:
            rows = conn.execute(select(ticks).where(*open_).order_by(ticks.c.slot.desc())).all()
        return next((_tick(row) for row in rows if not is_alive(row.owner)), None)

    def newest(self, limit: int = 20) -> list[Tick]:
        """Ticks of all schedules, the newest first."""
        with self._db.read() as conn:
            rows = conn.execute(select(ticks).order_by(ticks.c.begun_at.desc(), ticks.c.id.desc()).limit(limit)).all()
        return [_tick(row) for row in rows]


def _tick(row: Row[tuple[object, ...]]) -> Tick:
    return Tick(
        row.id,
        row.schedule,
        row.slot,
        row.why,
        TickStatus(row.status),
        row.owner,
        row.sweep_id,
        row.note,
        row.begun_at,
        row.finished_at,
    )
