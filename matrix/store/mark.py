"""What tells two states of a database apart, for those who keep what they made of one."""

import sqlite3
import time
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from sqlalchemy import text

from matrix.core.errors import MatrixError
from matrix.store.transactions import Transactions

_ASK_S = 0.5
"""Seconds between two questions to a database server, each of which takes a way over the network."""


class FileMark:
    """Of a SQLite file. Safe to call from several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock = Lock()
        self._file: tuple[int, int] | None = None
        self._conn: sqlite3.Connection | None = None

    def now(self) -> Hashable:
        """Equal for as long as no transaction of anybody has changed the file; None where that cannot be told."""
        with self._lock, suppress(OSError, sqlite3.Error):
            facts = self._path.stat()
            if self._conn is None or (facts.st_dev, facts.st_ino) != self._file:
                self._open((facts.st_dev, facts.st_ino))
            # Counts what other connections committed, and this one never writes.
            return (self._file, self._conn.execute("PRAGMA data_version").fetchone()[0]) if self._conn else None
        return None

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        with self._lock:
            if self._conn is not None:
                self._conn.close()
            self._conn = None

    def _open(self, file: tuple[int, int]) -> None:
        if self._conn is not None:
            self._conn.close()
        address = f"{self._path.as_uri()}?mode=ro"
        self._conn = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)
        self._file = file


class ServerMark:
    """Of a PostgreSQL database. A change is seen half a second late at most. Safe to call from several threads."""

    def __init__(self, db: Transactions) -> None:
        self._db = db
        self._lock = Lock()
        self._asked = float("-inf")
        self._mark: Hashable = None

    def now(self) -> Hashable:
        """Equal for as long as no transaction has begun to change anything; None where that cannot be told."""
        with self._lock:
            if time.monotonic() - self._asked >= _ASK_S:
                self._mark = self._ask()
                self._asked = time.monotonic()
            return self._mark

    def close(self) -> None:
        """Nothing is held open."""

    def _ask(self) -> Hashable:
        with suppress(MatrixError), self._db.read() as conn:
            return str(conn.execute(text("SELECT pg_current_snapshot()::text")).scalar_one())
        return None
