"""What runs share by content, stored once each: workloads and package locks."""

import hashlib
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from matrix.core.workload import Workload
from matrix.store.baselines import batches
from matrix.store.cellio import workload_from_json, workload_to_json
from matrix.store.jsonio import clean_text
from matrix.store.redact import redact
from matrix.store.tables import locks, workloads
from matrix.store.transactions import insert_new


def put_workload(conn: Connection, workload: Workload) -> str:
    """Store the workload unless it is there; returns its content hash."""
    content = workload.content
    insert_new(conn, workloads, {"content": content, "body": workload_to_json(workload)}, "content")
    return content


def get_workload(conn: Connection, content: str) -> Workload:
    """The workload with this content hash; its name is the one it was first stored under."""
    return workload_from_json(conn.execute(select(workloads.c.body).where(workloads.c.content == content)).scalar_one())


def put_lock(conn: Connection, lines: Sequence[str]) -> str | None:
    """Store a package lock unless it is there; returns the hash of its lines, None for an empty lock."""
    if not lines:
        return None
    # Credentials stand in the URLs of private indexes.
    text = clean_text("\n".join(redact(line) for line in lines))
    ref = hashlib.sha256(text.encode()).hexdigest()
    insert_new(conn, locks, {"ref": ref, "lines": text}, "ref")
    return ref


def get_locks(conn: Connection, refs: Iterable[str | None]) -> dict[str | None, list[str]]:
    """The lines of stored locks by their hash, each read once; empty for None."""
    found: dict[str | None, list[str]] = {None: []}
    for batch in batches(sorted({ref for ref in refs if ref is not None})):
        for row in conn.execute(select(locks).where(locks.c.ref.in_(batch))):
            found[row.ref] = str(row.lines).split("\n")
    return found


def get_lock(conn: Connection, ref: str | None) -> list[str]:
    """The lines of a stored lock; empty for None."""
    if ref is None:
        return []
    return str(conn.execute(select(locks.c.lines).where(locks.c.ref == ref)).scalar_one()).split("\n")
