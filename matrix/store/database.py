"""Opens databases: the one place that knows how SQLite and PostgreSQL differ."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from matrix.core.errors import ConfigError, Where
from matrix.store.jsonio import dumps, loads

BUSY_S = 30.0
_READERS = 60
"""More connections to a file than the threads of a service, so that none waits for one."""
# Numbers of PostgreSQL's advisory locks; any other program in the same database would have to choose the same ones.
MIGRATION, CLAIM, LEASE = 0x6D617472, 0x6D617473, 0x6D617474


def parse_url(url: str) -> URL:
    """The database named by `url`; ConfigError for what is no URL or no database this store can use."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        hint = f"write sqlite:///{url}" if "://" not in url else "for example sqlite:///matrix.db"
        raise ConfigError(f"{url!r} is not a database URL", hint=hint, where=Where(key="--db")) from error
    kind = parsed.get_backend_name() if "+" not in parsed.drivername else parsed.drivername.split("+")[0]
    if kind == "sqlite":
        return _sqlite_url(parsed)
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    raise ConfigError(
        f"databases of kind {kind!r} are not supported", hint="use sqlite or postgresql", where=Where(key="--db")
    )


def sqlite_path(url: URL) -> Path | None:
    """The file of a SQLite database, None for other databases."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def place_of(url: URL) -> str:
    """How errors name the database: the file, or the URL without its password."""
    path = sqlite_path(url)
    return str(path) if path else url.render_as_string(hide_password=True)


def make_engine(url: URL) -> Engine:
    """An engine whose connections are set up; nothing is opened yet. ConfigError when the driver is missing."""
    sqlite = url.get_backend_name() == "sqlite"
    options: dict[str, Any] = {"max_overflow": _READERS} if sqlite else {}
    if sqlite and "timeout" not in url.query:
        options["connect_args"] = {"timeout": BUSY_S}
    try:
        engine = create_engine(url, json_serializer=dumps, json_deserializer=loads, pool_pre_ping=not sqlite, **options)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise ConfigError(
            "the driver for PostgreSQL is not installed", hint="pip install 'specmatrix[postgres]'"
        ) from error
    if sqlite:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def reader(engine: Engine) -> Engine:
    """The same engine for transactions that see one state of the database throughout, as SQLite's always do."""
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def writer(engine: Engine) -> Engine:
    """The same engine for transactions that will write: SQLite then takes its write lock at once and waits for it.

    A SQLite transaction that began by reading cannot wait for that lock; it fails when another has written meanwhile.
    """
    return engine.execution_options(matrix_write=True)


def prepare(engine: Engine) -> None:
    """Switch a SQLite file to write-ahead logging, which lasts; nothing elsewhere."""
    if engine.dialect.name != "sqlite":
        return
    deadline = time.monotonic() + BUSY_S
    raw = engine.raw_connection()
    try:
        while raw.cursor().execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            _try_wal(raw.cursor(), deadline)
    finally:
        raw.close()


def one_at_a_time(conn: Connection, lock: int) -> None:
    """Wait until no other transaction holds `lock`, then hold it to the end. SQLite's writers need no such thing."""
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock})


def _sqlite_url(url: URL) -> URL:
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise ConfigError(
            "the SQLite URL names no file", hint="for example sqlite:///matrix.db", where=Where(key="--db")
        )
    return url.set(drivername="sqlite+pysqlite")


def _try_wal(cursor: Any, deadline: float) -> None:
    """Switching needs the file for itself for a moment, and SQLite does not wait for that by its own timeout."""
    try:
        cursor.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) or time.monotonic() > deadline:
            raise
        time.sleep(0.05)


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    # The driver would begin transactions by itself, late and never for DDL; `_begin_sqlite` does it instead.
    connection.isolation_level = None
    # FULL: a run costs a minute to measure and an fsync a few milliseconds, so what `finish` returned from is on disk.
    for pragma in ("foreign_keys=ON", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(conn: Connection) -> None:
    immediate = conn.get_execution_options().get("matrix_write", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
