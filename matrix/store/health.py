"""Whether a database can be used, found out without changing or migrating it."""

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from matrix.core.errors import NotFoundError, Where
from matrix.store.database import make_engine, parse_url, place_of, sqlite_path
from matrix.store.failures import translated
from matrix.store.migrate import REVISIONS, VERSION_TABLE

MOST_CHECKED = 2**30
"""Bytes of a SQLite file that is read whole for its check: about a second for each GiB on a fast disk."""


@dataclass(frozen=True, slots=True)
class Health:
    """`schema` is the database's, None for an empty one; `newest` the moment at which its last run ended.

    For SQLite: `journal` the journal's mode, `faults` what its own check found, None where the file is too large to be
    read for that; `writable` whether this user may write the file and its folder.
    """

    place: str
    file: Path | None
    schema: str | None
    known: bool
    newest: float | None
    journal: str | None = None
    faults: list[str] | None = None
    writable: bool = True


def health(url: str) -> Health:
    """Raises NotFoundError when there is no such file, ConfigError or InfraError when it cannot be read."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None and not path.is_file():
        raise NotFoundError("there is no such database yet", where=Where(file=str(path)))
    engine, place = make_engine(parsed), place_of(parsed)
    try:
        with translated(place), engine.connect() as conn:
            return _health(conn, place, path)
    finally:
        engine.dispose()


def _health(conn: Connection, place: str, path: Path | None) -> Health:
    tables = inspect(conn).get_table_names()
    schema, newest = None, None
    if VERSION_TABLE in tables:
        schema = conn.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608 - a constant  # nosec B608
        newest = conn.execute(text("SELECT max(finished_at) FROM runs")).scalar()
    known = schema in REVISIONS if schema else not tables
    if path is None:
        return Health(place, None, schema, known, newest)
    journal = conn.execute(text("PRAGMA journal_mode")).scalar()
    writable = os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)
    return Health(place, path, schema, known, newest, journal, _faults(conn, path), writable)


def _faults(conn: Connection, path: Path) -> list[str] | None:
    if path.stat().st_size > MOST_CHECKED:
        return None
    return [line for line in conn.execute(text("PRAGMA quick_check(5)")).scalars() if line != "ok"]
