"""Finds the line of a key in TOML text, since `tomllib` forgets it.

Only table headers and `key =` lines are looked at, with multi-line strings and arrays skipped, which is all that an
error message needs.
"""

import re
from collections.abc import Iterator, Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=(.*)$""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')

Path = tuple[str | int, ...]


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """1-based line of the deepest part of `path` that is written down; None when nothing of it is."""
    lines: dict[Path, int] = {}
    for place, number in _places(text):
        lines.setdefault(place, number)
    want = tuple(path)
    for length in range(len(want), 0, -1):
        if want[:length] in lines:
            return lines[want[:length]]
    return None


def _places(text: str) -> Iterator[tuple[Path, int]]:
    table: Path = ()
    counts: dict[Path, int] = {}
    skipping: str | None = None
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        if skipping is not None:
            skipping = None if skipping in line else skipping
            continue
        if depth > 0:
            depth += _brackets(line)
            continue
        header, key = _HEADER.match(line), _KEY.match(line)
        if key:
            yield table + _parts(key.group(1)), number
            skipping, depth = _opened(key.group(2))
        elif header:
            table = _parts(header.group(2))
            if header.group(1) == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield table, number


def _parts(dotted: str) -> Path:
    return tuple(a or b or c for a, b, c in _PART.findall(dotted))


def _opened(value: str) -> tuple[str | None, int]:
    """What a value leaves open at its line's end: a multi-line string's closing quotes, or a count of brackets."""
    for quotes in ('"""', "'''"):
        if value.lstrip().startswith(quotes):
            return (quotes, 0) if value.count(quotes) == 1 else (None, 0)
    return None, max(_brackets(value), 0)


def _brackets(value: str) -> int:
    plain = _QUOTED.sub("", value).split("#", 1)[0]
    return plain.count("[") + plain.count("{") - plain.count("]") - plain.count("}")
