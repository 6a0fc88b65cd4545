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
        translated(str(to.parent)),  # what is full, or cannot be written, is where the copy goes
        closing(sqlite3.connect(to)) as copy,
    ):
        source.backup(copy)


def is_backup(path: Path) -> bool:
    """True for an SQLite file with the tables of this project."""
    with path.open("rb") as file:
        if file.read(len(_BEGINNING)) != _BEGINNING:
            return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as found:
            names = {row[0] for row in found.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return False
    return names >= {"matrix_schema", "runs", "sweeps"}
