"""Turns database errors into errors a person can act on, so that nothing above the store knows the driver."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from matrix.core.errors import ConfigError, InfraError, MatrixError, Where

# What the driver's message holds, the kind of error, the cause in our words, and the next step. First match wins.
_KNOWN: tuple[tuple[str, type[MatrixError], str, str], ...] = (
    (
        "disk is full",
        InfraError,
        "the disk is full",
        "free space on it and run the same command again: everything committed before is kept",
    ),
    (
        "is locked",
        InfraError,
        "another process has kept the database locked for too long",
        "let that process finish or stop it, then run the same command again",
    ),
    (
        "readonly database",
        InfraError,
        "the database cannot be written",
        "make the file and its folder writable, or name another place with --db",
    ),
    (
        "unable to open database file",
        InfraError,
        "the database file cannot be opened or made",
        "make the file and its folder writable, or name another place with --db",
    ),
    (
        "file is not a database",
        ConfigError,
        "is not a SQLite database",
        "name the right file with --db, or move this one away",
    ),
    (
        "malformed",
        InfraError,
        "the database file is damaged",
        "restore it from a backup; the logs beside it are separate files",
    ),
    (
        "disk I/O error",
        InfraError,
        "the disk under the database fails",
        "check the disk (dmesg, df), then run the same command again",
    ),
    (
        "FATAL:  database",
        ConfigError,
        "the database server has no such database",
        "make it (createdb), or correct the URL given by --db or MATRIX_DB",
    ),
    (
        "FATAL:  role",
        ConfigError,
        "the database server does not know this user",
        "make it (createuser), or correct the URL given by --db or MATRIX_DB",
    ),
    (
        "password authentication failed",
        ConfigError,
        "the database server refused the user or the password",
        "correct the URL given by --db or MATRIX_DB",
    ),
    (
        "connection",
        InfraError,
        "the database server cannot be reached",
        "check that it runs and that the URL given by --db or MATRIX_DB names it",
    ),
)


_SMALLEST = 64 * 2**10  # bytes: two pages of shared memory that a database in WAL mode maps


class ClaimLostError(InfraError):
    """The job is not, or no longer, claimed by this owner; what it measured must not be stored twice."""


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise MatrixError naming `place` (the file, or the URL without its password) instead of the driver's error."""
    try:
        yield
    # The driver's own errors come through from what is done to a new connection.
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise explain(error, place) from error


def explain(error: Exception, place: str) -> MatrixError:
    """The MatrixError for one driver error; what is not known is shown by its own first line."""
    text = str(getattr(error, "orig", None) or error)
    if "disk I/O error" in text and _full(place):
        text = "disk is full"
    for mark, kind, cause, hint in _KNOWN:
        if mark in text:
            return kind(cause, hint=hint, where=Where(file=place))
    first = next(iter(text.splitlines()), type(error).__name__)
    return InfraError(
        f"the database refused: {first}",
        hint="run the same command again; if it stays, keep a copy of the database file",
        where=Where(file=place),
    )


def _full(place: str) -> bool:
    """True when nothing fits on the disk under a SQLite file: SQLite calls that an I/O error where it maps files."""
    try:
        return shutil.disk_usage(Path(place).parent).free < _SMALLEST
    except OSError:
        return False
