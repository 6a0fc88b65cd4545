"""The whole database as one compressed file of lines, and back: for backups, moves and other instances.

The first line names the format and the schema; each table is a line with its name and columns, then a row a line; the
last line counts all rows. Equal databases give equal bytes. Tokens and leases of GPUs are left out: the first are
secrets, the second belong to processes. Logs are files beside the database and no part of it.
"""

import gzip
from collections.abc import Iterator
from typing import Any, BinaryIO

from sqlalchemy import JSON, ColumnElement, Connection, Dialect, String, Table, Text, insert, select, text
from sqlalchemy.exc import StatementError

from matrix.core.errors import ConfigError, Where
from matrix.store.dumpread import FORMAT, Dumped, read_lines
from matrix.store.jsonio import dumps
from matrix.store.migrate import REVISIONS
from matrix.store.redact import redact, redact_value
from matrix.store.tables import bisections, jobs, leases, metadata, runs, sweeps, tokens
from matrix.store.transactions import Transactions

TABLES: tuple[Table, ...] = tuple(table for table in metadata.sorted_tables if table not in (tokens, leases))
"""In an order in which each row comes after those that it refers to."""
# What a person wrote, and may have written a secret into; everything else had its secrets taken out when it was stored.
_WRITTEN = (runs.c.cell, jobs.c.cell, sweeps.c.request, sweeps.c.config_text, bisections.c.request, bisections.c.config)
_BATCH = 500
_LAST = "(SELECT max({column}) FROM {table})"  # filled with names of our own tables


class Dump:
    """Writes dumps and restores them."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def write(self, file: BinaryIO) -> int:
        """Write the database as it is now, row by row; returns the number of rows."""
        total = 0
        with self._db.read() as conn, gzip.GzipFile("", "wb", 6, file, mtime=0) as out:
            out.write(_line({"specmatrix": "dump", "format": FORMAT, "schema": REVISIONS[-1]}))
            for table in TABLES:
                out.write(_line({"table": table.name, "columns": [column.name for column in table.c]}))
                for row in _rows(conn, table):
                    out.write(_line(row))
                    total += 1
            out.write(_line({"rows": total}))
        return total

    def restore(self, file: BinaryIO, name: str) -> int:
        """Fill an empty database, all or nothing; returns the number of rows. `name` is the file's, for errors.

        ConfigError for a database that is not empty, and for a file that is no whole dump of this schema.
        """
        total = 0
        try:
            with self._db.write() as conn:
                _refuse_full(conn, self._db.place)
                for part in read_lines(file, name, REVISIONS[-1]):
                    conn.execute(insert(_table(part, name)), part.rows)
                    total += len(part.rows)
                _continue_counting(conn)
        except (StatementError, TypeError, ValueError) as error:
            raise _wrong(f"a row does not fit its table: {str(error).splitlines()[0][:200]}", name) from None
        return total


def _rows(conn: Connection, table: Table) -> Iterator[list[Any]]:
    query = select(table).order_by(*(_ordered(column, conn.dialect) for column in table.primary_key))
    hidden = {column.name for column in _WRITTEN if column.table is table}
    for row in conn.execution_options(yield_per=_BATCH).execute(query):
        yield [_hidden(value) if c.name in hidden else value for c, value in zip(table.c, row, strict=True)]


def _ordered(column: ColumnElement[Any], dialect: Dialect) -> ColumnElement[Any]:
    """By bytes in every database, whatever language it was made for."""
    is_text = isinstance(column.type, String | Text) and dialect.name == "postgresql"
    return column.collate("C") if is_text else column


def _hidden(value: Any) -> Any:
    return redact(value) if isinstance(value, str) else redact_value(value)


def _line(value: Any) -> bytes:
    return dumps(value).encode() + b"\n"


def _refuse_full(conn: Connection, place: str) -> None:
    for table in TABLES:
        if conn.execute(select(table).limit(1)).first() is not None:
            hint = "name a new database with --db; nothing was changed"
            raise ConfigError(f"is not empty: there are rows in `{table.name}`", hint=hint, where=Where(place))


def _table(part: Dumped, name: str) -> Table:
    table = next((table for table in TABLES if table.name == part.table), None)
    if table is None:
        raise _wrong(f"there is no table {part.table!r} in this schema", name)
    if part.columns != [column.name for column in table.c]:
        raise _wrong(f"table `{table.name}` has other columns", name)
    for column in table.c:
        if isinstance(column.type, JSON):
            continue
        if any(isinstance(row[column.name], list | dict) for row in part.rows):
            raise _wrong(f"{table.name}.{column.name} holds a list", name)
    return table


def _continue_counting(conn: Connection) -> None:
    """PostgreSQL numbers rows by a counter of its own, which rows that bring their number leave behind."""
    if conn.dialect.name != "postgresql":
        return
    for table in TABLES:
        column = table.autoincrement_column
        if column is not None:
            counter = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
            last = _LAST.format(column=column.name, table=table.name)
            conn.execute(text(f"SELECT setval({counter}, {last}) WHERE {last} IS NOT NULL"))


def _wrong(cause: str, name: str) -> ConfigError:
    return ConfigError(cause, hint="restore a dump that this version wrote", where=Where(name))
