"""A copy of a SQLite file that is in use: as it was at one moment, while others go on writing."""

import sqlite3
from contextlib import closing
from pathlib import Path

from matrix.core.errors import ConfigError, Where
from matrix.store.failures import translated
from matrix.store.transactions import Transactions

_BEGINNING = b"SQLite format 3\x00"


def copy_file(db: Transactions, file: Path | None, to: Path) -> None:
    """Copy the database `file` to `to`, which is empty or new; ConfigError for a database that is no file."""
    if file is None:
        hint = "pg_dump --format=custom --file=FILE, then pg_restore; or `matrix export --dump FILE`"
        raise ConfigError("is on a server, which makes its own backups", hint=hint, where=Where(db.place))
    with (
        db.read(),  # it says so when the file was removed
        translated(db.place),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=30)) as source,
        closing(sqlite3.connect(to)) as copy,
    ):
        source.backup(copy)


def is_sqlite(path: Path) -> bool:
    """True for a file that begins as SQLite's do."""
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING
