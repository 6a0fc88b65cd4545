"""Transactions, the only way the store's parts reach the database: errors come out translated."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Table, insert, select
from sqlalchemy.exc import IntegrityError

from matrix.store.database import reader, writer
from matrix.store.failures import translated
from matrix.store.kept import Kept, keep_for, keep_nothing
from matrix.store.samefile import SameFile


class Transactions:
    """Reading and writing transactions of one database. Safe to share between threads."""

    def __init__(self, engine: Engine, place: str, file: SameFile | None = None) -> None:
        self._engine = engine
        self._file = file
        self._reader, self._writer = reader(engine), writer(engine)
        self._kept = Kept()
        self.place = place

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent view of the database; MatrixError on failure."""
        if self._file is not None and self._file.changed():
            self._engine.dispose()
            self._kept = Kept()
        with translated(self.place), self._reader.begin() as conn:
            keep_for(conn, self._kept)
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """All or nothing: committed at the end of the block, rolled back on any exception; MatrixError on failure.

        Also when the database is not the one that was opened: what is written to a deleted file is lost.
        """
        if self._file is not None:
            self._file.check()
        with translated(self.place), self._writer.begin() as conn:
            keep_nothing(conn)
            yield conn

    def close(self) -> None:
        """Close all connections; a transaction begun later opens new ones."""
        self._engine.dispose()


def insert_new(conn: Connection, table: Table, row: dict[str, Any], *unique: str) -> bool:
    """Insert `row` unless one with the same `unique` columns is there; True when it was inserted.

    A plain insert in a savepoint rather than ON CONFLICT, whose spelling differs between databases.
    """
    same = [table.c[name] == row[name] for name in unique]
    if conn.execute(select(table.c[unique[0]]).where(*same)).first() is not None:
        return False
    try:
        with conn.begin_nested():
            conn.execute(insert(table).values(**row))
    except IntegrityError:
        # Another process was faster (PostgreSQL; on SQLite writers are one at a time).
        if conn.execute(select(table.c[unique[0]]).where(*same)).first() is None:
            raise
        return False
    return True
