"""The database: whether it can be used, and what dead processes still hold in it."""

from collections.abc import Iterator
from datetime import UTC, datetime

from matrix.app.doctor.asks import Asks
from matrix.app.doctor.finding import Finding, fail, ok, warn
from matrix.app.doctor.places import SLOW_S
from matrix.core.errors import MatrixError, NotFoundError
from matrix.stats.words import count
from matrix.store import open_store
from matrix.store.health import Health, health
from matrix.store.migrate import REVISIONS


def database(asks: Asks, db: str) -> Iterator[Finding]:
    try:
        seen = health(db)
    except NotFoundError as error:
        yield warn("database", str(error), "`matrix sweep` makes it; another is named with --db or MATRIX_DB")
        return
    except MatrixError as error:
        yield fail("database", error.cause, error.hint or "name another with --db")
        return
    found = _usable(seen)
    yield found
    if seen.newest is not None:
        yield _past(seen.newest, asks.now())
    if not found.fix and seen.schema == REVISIONS[-1]:
        yield from _held(asks, db)


def _usable(seen: Health) -> Finding:
    if not seen.known:
        text = f"{seen.place} has the schema {seen.schema or 'of another program'}, which this version does not know"
        return fail("database", text, "upgrade specmatrix, or name another database with --db")
    if seen.faults:
        fix = "restore it from a backup; the logs beside it are separate files"
        return fail("database", f"{seen.place} is damaged: {'; '.join(seen.faults)}", fix)
    if not seen.writable:
        return fail("database", f"{seen.place} or its folder cannot be written", "make both writable for this user")
    if seen.journal not in (None, "wal") and seen.schema:
        fix = "put it on a local disk: write-ahead logging needs shared memory, which network file systems lack"
        return warn("database", f"{seen.place} is in journal mode {seen.journal}: readers and writers wait", fix)
    old = seen.schema not in (None, REVISIONS[-1])
    unread = ", not checked whole: it is too large" if seen.file and seen.faults is None else ""
    after = (
        f", schema {seen.schema}{' (the next verb brings it up to date)' if old else ''}" if seen.schema else ", empty"
    )
    return ok("database", f"{seen.place} can be used{after}{unread}")


def _past(newest: float, now: float) -> Finding:
    if newest <= now + SLOW_S:
        return ok("clock and database", "the newest run lies in the past")
    at = f"{datetime.fromtimestamp(newest, UTC):%Y-%m-%d %H:%M:%S}"
    fix = "set the clock right; if the database came from another machine, set that one's right"
    return fail("clock and database", f"the newest run ended at {at} UTC, which is still to come", fix)


def _held(asks: Asks, db: str) -> Iterator[Finding]:
    store = open_store(db)
    try:
        jobs = [c for c in store.service.claims() if not asks.alive(c.owner)]
        leases = [lease for lease in store.leases.held() if not asks.alive(lease.owner)]
        failed = store.messages.counts().get("failed", 0)
    finally:
        store.close()
    text = f"{count(len(jobs), 'cell')} and {count(len(leases), 'GPU lease')} of ended processes"
    if jobs or leases:
        yield warn(
            "left in the database",
            text,
            "the next `matrix sweep`, `matrix worker` or `matrix serve -c` takes them back",
        )
    else:
        yield ok("left in the database", "nothing of ended processes")
    if failed:
        yield warn("messages", f"{count(failed, 'message')} did not arrive and were given up", "see `matrix notify`")
