"""Reads a log of any size once, in bounded memory, and looks closely only at lines of a shape not seen before.

Two lines have one shape when they differ only in digits and in the letters of hexadecimal numbers. Logs repeat few
shapes, so a set of shapes costs less than a pattern search over every line. A visitor says of each new shape whether
later lines of it matter.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

CHUNK = 1 << 18
LONGEST = 1 << 16
"""Bytes kept of one line; the rest of a longer one is passed over."""
LOOKAHEAD = 8
"""Lines that are visible after the visited one, for records that a terminal wrapped."""
_SHAPES_BYTES = 16 << 20
_HEX = b"0123456789abcdef"


Handler = Callable[[int, list[bytes], int], None]
"""Takes a line of a known shape: its number, and the lines around it with its place among them."""


class Visitor(Protocol):
    """Looks at lines. Up to eight lines after the visited one are visible; numbers count from 1."""

    def visit(self, number: int, lines: list[bytes], index: int) -> Handler | None:
        """Look at a line of a new shape; what later lines of this shape go to, None when they tell nothing."""

    def wants_all(self) -> bool:
        """True while every line matters, whatever its shape (inside a traceback)."""

    def bulk(self, number: int, chunk: bytes, handlers: set[Handler]) -> bool:
        """Take a whole chunk whose lines all go to `handlers`; False when it has to be visited line by line."""


_NEW = object()


class Scanner:
    """Feeds a stream to a visitor."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._shapes: dict[bytes, Handler | None] = {}
        self._bytes = 0
        self.lines = 0

    def run(self, stream: BinaryIO) -> None:
        """Read `stream` to its end."""
        kept: list[bytes] = []
        for chunk in chunks(stream):
            kept = self._feed(chunk, kept)
        self._visit(kept, [_shape(line) for line in kept], len(kept))

    def _feed(self, chunk: bytes, kept: list[bytes]) -> list[bytes]:
        """Visit all but the last few lines; returns those."""
        whole = b"\n".join([*kept, chunk]) if kept else chunk
        shapes = _shape(whole).split(b"\n")
        if self._in_bulk(whole, shapes):
            return []
        lines = whole.split(b"\n")
        upto = max(len(lines) - 1 - LOOKAHEAD, 0)
        self._visit(lines, shapes, upto)
        return lines[upto:-1]

    def _in_bulk(self, chunk: bytes, shapes: list[bytes]) -> bool:
        if self._visitor.wants_all():
            return False
        found = set(shapes)
        found.discard(b"")
        if not found <= self._shapes.keys():
            return False
        handlers = {handler for shape in found if (handler := self._shapes[shape])}
        if not self._visitor.bulk(self.lines + 1, chunk, handlers):
            return False
        self.lines += len(shapes) - 1
        return True

    def _visit(self, lines: list[bytes], shapes: list[bytes], upto: int) -> None:
        known, visitor = self._shapes, self._visitor
        everything, first = visitor.wants_all(), self.lines + 1
        for index in range(upto):
            handler = known.get(shapes[index], _NEW)
            if handler is None and not everything:
                continue
            if handler is _NEW or everything:
                handler = visitor.visit(first + index, lines, index)
                everything = visitor.wants_all()
                if not everything:
                    self._remember(shapes[index], handler)
            else:
                handler(first + index, lines, index)  # type: ignore[operator]
        self.lines += upto

    def _remember(self, shape: bytes, handler: Handler | None) -> None:
        self._bytes += len(shape) + 120
        if self._bytes > _SHAPES_BYTES:
            self._shapes.clear()
            self._bytes = 0
        self._shapes.setdefault(shape, handler)


def _shape(data: bytes) -> bytes:
    return data.translate(None, _HEX)


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """A quarter of a MiB at a time: whole lines, each ended by a newline; of a longer line its first 64 KiB."""
    rest, skipping = b"", False
    while block := stream.read(CHUNK):
        end = block.rfind(b"\n")
        if end < 0:
            if not skipping:
                rest = (rest + block)[: LONGEST + 1]
                skipping = len(rest) > LONGEST
            continue
        start = block.find(b"\n") if skipping else 0
        head = rest[:LONGEST] + block[start : end + 1] if skipping else rest + block[: end + 1]
        yield head
        rest, skipping = block[end + 1 :], False
    if rest:
        yield rest[:LONGEST] + b"\n"
