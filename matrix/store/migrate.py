"""Brings a database to this version's schema: from nothing, or from any earlier revision."""

from sqlalchemy import Connection, Engine, inspect, text

from matrix.core.errors import ConfigError, Where
from matrix.store.database import MIGRATION, one_at_a_time, prepare, writer
from matrix.store.squares import rebuild

# Revisions in order; the last is the schema of `matrix.store.tables`.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011")
VERSION_TABLE = "matrix_schema"
SQUARES = "0010"
"""The revision that brings `series` and `squares`, which follow from all runs before it."""


def migrate(engine: Engine, place: str) -> None:
    """Upgrade to the last revision in one transaction; ConfigError for a newer schema or another program's database."""
    with engine.connect() as conn:
        current = _current(conn, place)
    # Only now: a database that is refused stays as it was.
    prepare(engine)
    if current == REVISIONS[-1]:
        return
    with writer(engine).begin() as conn:
        one_at_a_time(conn, MIGRATION)
        # Another process may have migrated while this one waited.
        current = _current(conn, place)
        if current != REVISIONS[-1]:
            upgrade(conn)
            _fill(conn, current)


def upgrade(conn: Connection, revision: str = "head") -> None:
    """Run the migrations up to `revision` inside the connection's transaction."""
    # Alembic takes most of a second to import and is needed once in a database's life.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "matrix.store:migrations")
    config.attributes["connection"] = conn
    command.upgrade(config, revision)


def _fill(conn: Connection, before: str | None) -> None:
    """What follows from rows of an older database is worked out once."""
    if before is not None and before < SQUARES:
        rebuild(conn)


def _current(conn: Connection, place: str) -> str | None:
    tables = inspect(conn).get_table_names()
    if VERSION_TABLE not in tables:
        _refuse_foreign(tables, place)
        return None
    version = conn.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608 - a constant  # nosec B608
    if version is not None and version not in REVISIONS:
        raise ConfigError(
            f"its schema {version!r} is newer than this version's {REVISIONS[-1]!r}",
            hint="upgrade specmatrix, or name another database with --db",
            where=Where(file=place),
        )
    return version


def _refuse_foreign(tables: list[str], place: str) -> None:
    if tables:
        raise ConfigError(
            f"is a database of another program (it holds the table {sorted(tables)[0]!r})",
            hint="name another database with --db",
            where=Where(file=place),
        )
