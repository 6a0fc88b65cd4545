"""Leases of GPUs: each GPU of a host belongs to one run at a time, over all processes that share the database."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from matrix.store.database import LEASE, one_at_a_time
from matrix.store.tables import leases
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions


@dataclass(frozen=True, slots=True)
class Lease:
    """GPU number `gpu` of `host` is used by `owner` until `expires_at` (Unix seconds), unless that is renewed."""

    host: str
    gpu: int
    owner: str
    purpose: str
    expires_at: float


class Leases:
    """Takes, renews and releases. An owner is any text that names one run of one process for good."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def take(
        self,
        host: str,
        gpus: Sequence[int],
        count: int,
        owner: str,
        *,
        purpose: str,
        ttl_s: float,
        is_alive: Callable[[str], bool] = lambda owner: True,
    ) -> tuple[int, ...] | None:
        """The first `count` of `gpus` that nobody holds, now held by `owner`; None where fewer are free.

        What has expired, or whose owner is not alive, is taken over.
        """
        now = time.time()
        with self._db.write() as conn:
            # The unique constraint keeps two owners off one GPU; the lock saves waiting for one that is undone.
            one_at_a_time(conn, LEASE)
            _drop_lapsed(conn, host, now, is_alive)
            held = set(conn.execute(select(leases.c.gpu).where(leases.c.host == host)).scalars())
            free = [gpu for gpu in dict.fromkeys(gpus) if gpu not in held][:count]
            if len(free) < count:
                return None
            row = {"host": host, "owner": owner, "purpose": stored_text(purpose, 500)}
            times = {"taken_at": now, "heartbeat_at": now, "expires_at": now + ttl_s}
            for gpu in free:
                conn.execute(insert(leases).values(gpu=gpu, **row, **times))
            return tuple(free)

    def renew(self, host: str, gpus: Collection[int], owner: str, ttl_s: float) -> bool:
        """Hold on for `ttl_s` more; False, and nothing renewed, when any of them is no longer held by `owner`."""
        now = time.time()
        with self._db.write() as conn:
            mine = _mine(host, gpus, owner)
            held = set(conn.execute(select(leases.c.gpu).where(*mine)).scalars())
            if held != set(gpus):
                return False
            conn.execute(update(leases).where(*mine).values(heartbeat_at=now, expires_at=now + ttl_s))
            return True

    def repurpose(self, host: str, gpus: Collection[int], owner: str, purpose: str) -> None:
        """Say what those that `owner` still holds are held for now."""
        with self._db.write() as conn:
            conn.execute(update(leases).where(*_mine(host, gpus, owner)).values(purpose=stored_text(purpose, 500)))

    def release(self, host: str, gpus: Collection[int], owner: str) -> None:
        """Give back those that `owner` still holds."""
        with self._db.write() as conn:
            conn.execute(delete(leases).where(*_mine(host, gpus, owner)))

    def drop_dead(self, is_alive: Callable[[str], bool]) -> int:
        """Remove the leases of owners that `is_alive` denies; returns how many."""
        with self._db.read() as conn:
            owners = conn.execute(select(leases.c.owner).distinct()).scalars().all()
        # Asked outside of any transaction: it may look at processes.
        dead = [owner for owner in owners if not is_alive(owner)]
        if not dead:
            return 0
        with self._db.write() as conn:
            return conn.execute(delete(leases).where(leases.c.owner.in_(dead))).rowcount

    def held(self, host: str | None = None) -> list[Lease]:
        """All leases (of one host), by host and GPU; lapsed ones too, until somebody needs them."""
        query = select(leases).order_by(leases.c.host, leases.c.gpu)
        if host is not None:
            query = query.where(leases.c.host == host)
        with self._db.read() as conn:
            return [Lease(r.host, r.gpu, r.owner, r.purpose, r.expires_at) for r in conn.execute(query)]


def _mine(host: str, gpus: Collection[int], owner: str) -> tuple[ColumnElement[bool], ...]:
    return leases.c.host == host, leases.c.gpu.in_(list(gpus)), leases.c.owner == owner


def _drop_lapsed(conn: Connection, host: str, now: float, is_alive: Callable[[str], bool]) -> None:
    for row in conn.execute(select(leases).where(leases.c.host == host)).all():
        this = leases.c.id == row.id
        if row.expires_at <= now or not is_alive(row.owner):
            conn.execute(delete(leases).where(this))
        elif row.heartbeat_at > now:
            # The clock was set back: counted by the old one, a dead host's lease would last until then.
            left = row.expires_at - row.heartbeat_at
            conn.execute(update(leases).where(this).values(heartbeat_at=now, expires_at=now + left))
