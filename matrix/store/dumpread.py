"""Reads a dump line by line, without a database; says what is wrong with a file that is none."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from matrix.core.errors import ConfigError, Where

FORMAT = 1
"""Grows when older versions can no longer read what is written."""
_BATCH = 500
_LONGEST = 2**28
"""Bytes of a line: no row is longer, and a file made to fill the memory is refused."""
_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Dumped:
    """Some rows of one table, each by the names of its columns."""

    table: str
    columns: list[str]
    rows: list[dict[str, Any]]


def is_dump(file: BinaryIO) -> bool:
    """True for a file that begins as a dump; its position is at the start again."""
    try:
        if file.read(2) != _MAGIC:
            return False
        file.seek(0)
        return gzip.GzipFile(fileobj=file).read(21).startswith(b'{"specmatrix":"dump"')
    except (OSError, EOFError, zlib.error):
        return False
    finally:
        file.seek(0)


def read_lines(file: BinaryIO, name: str, schema: str | None = None) -> Iterator[Dumped]:
    """The rows in their order, some at a time; ConfigError for a file that is no whole dump.

    `schema` refuses any other; None takes each. What was read counts only once the end was reached.
    """
    try:
        yield from _parts(_Lines(file, name), schema)
    except (OSError, EOFError, zlib.error) as error:
        raise _wrong(f"it is damaged: {error}", name) from None


class _Lines:
    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = gzip.GzipFile(fileobj=file)
        self.name = name
        self.number = 0

    def next(self) -> Any:
        """The next line as JSON; ConfigError at the end of the file."""
        self.number += 1
        line = self._file.readline(_LONGEST)
        if not line.endswith(b"\n"):
            raise self.wrong("the file ends too early" if len(line) < _LONGEST else "the line is too long")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise self.wrong("this is no JSON") from None

    def wrong(self, cause: str) -> ConfigError:
        return _wrong(cause, self.name, self.number)


def _parts(lines: _Lines, schema: str | None) -> Iterator[Dumped]:
    _check_head(lines, schema)
    total, table, columns = 0, "", list[str]()
    rows: list[dict[str, Any]] = []
    while True:
        line = lines.next()
        if isinstance(line, list):
            if len(line) != len(columns):
                raise lines.wrong(f"{len(line)} values for the {len(columns)} columns of `{table}`")
            rows.append(dict(zip(columns, line, strict=True)))
            total += 1
        if rows and (isinstance(line, dict) or len(rows) == _BATCH):
            yield Dumped(table, columns, rows)
            rows = []
        if isinstance(line, dict) and line.keys() == {"rows"}:
            if line["rows"] != total:
                raise lines.wrong(f"{line['rows']} rows were written, {total} are there")
            return
        if not isinstance(line, list):
            table, columns = _begun(line, lines)


def _check_head(lines: _Lines, schema: str | None) -> None:
    head = lines.next()
    if not isinstance(head, dict) or head.get("specmatrix") != "dump":
        raise lines.wrong("it is no dump of specmatrix")
    if head.get("format") != FORMAT:
        raise lines.wrong(f"its format is {head.get('format')!r}, this version reads {FORMAT}")
    if schema is not None and head.get("schema") != schema:
        raise lines.wrong(f"its schema is {head.get('schema')!r}, this version's is {schema!r}")


def _begun(line: Any, lines: _Lines) -> tuple[str, list[str]]:
    table, columns = (line.get("table"), line.get("columns")) if isinstance(line, dict) else (None, None)
    if not isinstance(table, str) or not isinstance(columns, list) or not all(isinstance(c, str) for c in columns):
        raise lines.wrong("a row, a table or the end is expected here")
    return table, columns


def _wrong(cause: str, name: str, line: int | None = None) -> ConfigError:
    hint = "make it again with `matrix export --dump FILE`, by the same version"
    return ConfigError(cause, hint=hint, where=Where(name, line))
