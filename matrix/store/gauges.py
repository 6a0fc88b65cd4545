"""Counts and ages for a monitoring system: each query is one look into an index, whatever the database holds."""

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from sqlalchemy import Column, ColumnElement, Connection, func, select, text

from matrix.store.jobs import JobStatus
from matrix.store.tables import jobs, leases, messages, runs, sweeps, ticks
from matrix.store.transactions import Transactions

DAY_S = 86_400.0
MOST_RUNS = 1000
"""Runs of the last day whose phases are read: the newest, which is a night."""

UNSETTLED = 100
"""The newest runs are counted each time: a transaction that began earlier may still store a lower number."""

_OPEN = (JobStatus.QUEUED.value, JobStatus.CLAIMED.value)


@dataclass(frozen=True, slots=True)
class GaugeRows:
    """`queue`: open jobs by (status, priority). `waiting_since`: when the sweep of the job that waits longest began,
    None when none waits. `outcomes`: all runs by outcome. `phases`: durations (s) in runs of the last day, by phase.
    `ticks` and `messages` by status; `last_tick` is when the newest began. `bytes`: the database's size.
    """

    queue: Mapping[tuple[str, int], int]
    waiting_since: float | None
    leased: int
    outcomes: Mapping[str, int]
    phases: Mapping[str, list[float]]
    ticks: Mapping[str, int]
    last_tick: float | None
    messages: Mapping[str, int]
    bytes: int


class Gauges:
    """Keep one for as long as the process lives: runs that were counted once are not counted again."""

    def __init__(self, db: Transactions) -> None:
        self._db = db
        self._lock = Lock()
        self._counted: Counter[str] = Counter()
        self._upto = 0

    def rows(self, now: float | None = None) -> GaugeRows:
        """All of them as they are now."""
        moment = time.time() if now is None else now
        with self._lock, self._db.read() as conn:
            return GaugeRows(
                queue=_queue(conn),
                waiting_since=_waiting_since(conn),
                leased=conn.execute(select(func.count()).select_from(leases)).scalar_one(),
                outcomes=self._outcomes(conn),
                phases=_phases(conn, moment - DAY_S),
                ticks=_by_status(conn, ticks.c.status),
                last_tick=conn.execute(select(func.max(ticks.c.begun_at))).scalar(),
                messages=_by_status(conn, messages.c.status),
                bytes=_bytes(conn),
            )

    def _outcomes(self, conn: Connection) -> dict[str, int]:
        """Rows of `runs` are only ever added, so all but the newest are counted once and for all."""
        newest = conn.execute(select(func.max(runs.c.id))).scalar() or 0
        if newest - UNSETTLED < self._upto or not self._upto:
            # The first time, and for another database under the same name: all of them, by the index.
            self._upto = max(0, newest - UNSETTLED)
            self._counted = _count(conn)
            self._counted.subtract(_count(conn, runs.c.id > self._upto))
        settled = newest - UNSETTLED
        if settled > self._upto:
            self._counted += _count(conn, runs.c.id > self._upto, runs.c.id <= settled)
            self._upto = settled
        return dict(self._counted + _count(conn, runs.c.id > self._upto))


def _count(conn: Connection, *which: ColumnElement[bool]) -> Counter[str]:
    query = select(runs.c.outcome, func.count()).where(*which).group_by(runs.c.outcome)
    return Counter({row[0]: row[1] for row in conn.execute(query)})


def _queue(conn: Connection) -> dict[tuple[str, int], int]:
    kinds = (jobs.c.status, jobs.c.priority)
    query = select(*kinds, func.count()).where(jobs.c.status.in_(_OPEN)).group_by(*kinds)
    return {(status, priority): number for status, priority, number in conn.execute(query)}


def _waiting_since(conn: Connection) -> float | None:
    waiting = select(jobs.c.sweep_id).where(jobs.c.status == JobStatus.QUEUED.value).order_by(jobs.c.id).limit(1)
    return conn.execute(select(sweeps.c.created_at).where(sweeps.c.id == waiting.scalar_subquery())).scalar()


def _phases(conn: Connection, since: float) -> dict[str, list[float]]:
    newest = select(runs.c.phases).where(runs.c.finished_at >= since).order_by(runs.c.finished_at.desc())
    found: dict[str, list[float]] = {}
    for phases in conn.execute(newest.limit(MOST_RUNS)).scalars():
        for name, seconds in json.loads(phases) if isinstance(phases, str) else phases:
            found.setdefault(name, []).append(float(seconds))
    return found


def _by_status(conn: Connection, column: Column[str]) -> dict[str, int]:
    query = select(column, func.count()).group_by(column)
    return {row[0]: row[1] for row in conn.execute(query)}


def _bytes(conn: Connection) -> int:
    if conn.dialect.name == "postgresql":
        return int(conn.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
    pages, size = (conn.execute(text(f"PRAGMA {name}")).scalar_one() for name in ("page_count", "page_size"))
    return int(pages) * int(size)
