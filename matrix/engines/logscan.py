"""Reads a log of any size once, in bounded memory, and looks closely only at lines of a shape not seen before.

Two lines have one shape when they differ only in digits and in the letters of hexadecimal numbers. Logs repeat few
shapes, so a set of shapes costs less than a pattern search over every line. A visitor says of each new shape what its
later lines are good for; most of those are then taken a chunk at a time.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import BinaryIO, Protocol

from matrix.engines.logchunks import chunks, without_junk
from matrix.engines.logshape import SPARSE, shape_of, shapes_of

LOOKAHEAD = 8
"""Lines that are visible after the visited one, for records that a terminal wrapped."""
LOOKBEHIND = 9
_ROOM = 1 << 14
"""Bytes that the lines ahead, and those behind, may take."""
_SHAPES_BYTES = 16 << 20
_FEW = 1 << 10
"""Bytes of new shapes in one stretch that are looked at without a screening of its lines."""
_A_LOOK = 40
"""Bytes whose screening takes as long as a look at an empty line."""
_FIRST = 1 << 16
"""Bytes of new shapes that are looked at before any is screened."""


class Kind(StrEnum):
    """What the later lines of a shape are good for."""

    NOTHING = "nothing"
    PROGRESS = "a sign that the server serves"
    TOKENS = "a rate of tokens: a sign of service unless it is zero"
    RECORD = "an accept length that is pooled without a look at the line"
    READING = "an accept length in another spelling"
    BROKEN = "an accept length that the lines after it end"
    REQUEST = "the start of a request's own traceback"
    CHAINED = "the note between two tracebacks of one failure"
    HEADER = "the head of a traceback"
    ENDING = "the error that ends a traceback"
    ALWAYS = "a line that must be looked at each time"


POOLED = frozenset((Kind.PROGRESS, Kind.TOKENS, Kind.RECORD, Kind.READING))
"""Kinds whose lines may be taken many at once."""
_READ = frozenset((Kind.RECORD, Kind.READING, Kind.BROKEN))
_TRACE = frozenset((Kind.REQUEST, Kind.CHAINED, Kind.HEADER, Kind.ENDING))
_TRACE_TAIL = 300
"""Lines at the end of a stretch whose tracebacks may go on in the next one."""


@dataclass(frozen=True)
class Stretch:
    """Whole lines of a log: those from `start` to `end` are new, the others stand around them.

    `number` is the number in the log of line `start`; `shapes` has an entry a line.
    """

    number: int
    whole: bytes
    shapes: list[bytes]
    start: int
    end: int

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines; split when first asked for."""
        return self.whole.split(b"\n")

    @cached_property
    def distinct(self) -> frozenset[bytes]:
        """The shapes, each once; without the one of lines that nobody looks at."""
        return frozenset(self.shapes) - {b""}

    def tail(self, first: int) -> list[bytes]:
        """The lines from place `first` on, those after the new ones too; the lines before are not split."""
        count = len(self.shapes) + 1 - first
        return self.whole.rsplit(b"\n", count)[-count:]

    def number_of(self, index: int) -> int:
        """The number in the log of line `index`."""
        return self.number + index - self.start

    def indexes(self, wanted: set[bytes]) -> list[int]:
        """Places of the new lines of these shapes."""
        return [i for i in range(self.start, self.end) if self.shapes[i] in wanted]

    def last(self, wanted: set[bytes]) -> Iterator[int]:
        """Places of the new lines of these shapes, from the last to the first."""
        return (i for i in range(self.end - 1, self.start - 1, -1) if self.shapes[i] in wanted)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a visitor stands: `fixed` says all on which its further way depends, `places` the numbers of lines in it.

    `fixed` is None while no stretch may be taken for the one before.
    """

    fixed: tuple[object, ...] | None
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Before:
    """A stretch as it was fed, what was kept of it, and how far it moved each place: None while that is not known."""

    whole: bytes
    behind: int
    kept: bytes
    lines: int
    moved: tuple[int, ...] | None


class Visitor(Protocol):
    """Looks at lines. Nine lines before and eight after the visited one are visible; numbers count from 1."""

    def visit(self, number: int, lines: list[bytes], index: int) -> Kind:
        """Look at a line of a new shape, or of kind ALWAYS; what the later lines of its shape are good for."""

    def again(self, kind: Kind, number: int, lines: list[bytes], index: int) -> None:
        """Take one line of a known kind."""

    def one_by_one(self, kind: Kind) -> bool:
        """True while lines of this kind have to be taken singly."""

    def wants_all(self) -> bool:
        """True while every line matters, whatever its shape (inside a traceback)."""

    def screen(self, whole: bytes) -> AbstractSet[int]:
        """Places among the lines of `whole` of those worth a look, where most are new."""

    def screened(self, stretch: Stretch, likely: AbstractSet[int]) -> None:
        """Take note of lines that `screen` found not worth a look, before those that it did are visited."""

    def standing(self) -> Standing:
        """Where the visitor stands between two stretches; calls since the last `standing` are what `repeat` repeats."""

    def repeat(self, moved: tuple[int, ...]) -> None:
        """Take a stretch that equals the last one, and that leaves the visitor as that did; `moved` its places."""

    def bulk(self, stretch: Stretch, kinds: dict[Kind, set[bytes]], data: bytes | None) -> None:
        """Take the new lines of the shapes in `kinds`, at which nobody has looked.

        `data` has all new lines; None where some records among them were looked at, so that they must be picked.
        """


class Scanner:
    """Feeds a stream to a visitor."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._shapes: dict[bytes, Kind] = {}
        self._bytes = self._new = 0
        self._behind = 0
        self._last = b""
        self._strange = False
        self._before = _Before(b"", 0, b"", 0, None)
        self.lines = 0

    def run(self, stream: BinaryIO) -> None:
        """Read `stream` to its end."""
        kept = b""
        for chunk in chunks(stream):
            kept = self._take(self._plain(kept + chunk))
        self._feed(self._plain(kept + b"\n"), 0)

    def _plain(self, whole: bytes) -> bytes:
        """Without the lines of binary junk, which are told by whole lines alone."""
        return whole if self._strange or whole.isascii() else without_junk(whole)

    def _take(self, whole: bytes) -> bytes:
        """Feed what goes on; a stretch that equals the one before is counted where that left all as it was."""
        before = self._before
        if whole != before.whole or self._behind != before.behind:
            behind, lines, kept = self._behind, self.lines, self._feed(whole, LOOKAHEAD)
            self._before = _Before(whole, behind, kept, self.lines - lines, None)
            return kept
        if before.moved is None:
            return self._feed_again(before)
        self._visitor.repeat(before.moved)
        self.lines += before.lines
        return before.kept

    def _feed_again(self, before: _Before) -> bytes:
        """Feed the same stretch once more, and see whether it leaves all as it was but for the numbers of lines."""
        known, behind, one = len(self._shapes), self._behind, self._visitor.standing()
        kept = self._feed(before.whole, LOOKAHEAD)
        two = self._visitor.standing()
        moved = tuple(b - a for a, b in zip(one.places, two.places, strict=True))
        same = one.fixed is not None and one.fixed == two.fixed and {*moved} <= {0, before.lines}
        if same and known == len(self._shapes) and (kept, self._behind) == (before.kept, behind):
            self._before = replace(before, moved=moved)
        return kept

    def _feed(self, whole: bytes, ahead: int) -> bytes:
        """Take all whole lines but the last few; returns those with the rest, and a few lines before them."""
        likely = self._visitor.screen(whole) if self._strange and not self._visitor.wants_all() else None
        shapes = shapes_of(whole, likely, self._last)
        self._last = shapes[-1] if shapes else b""
        end, left = _back(whole, whole.rfind(b"\n") + 1, min(ahead, len(shapes) - self._behind))
        stretch = Stretch(self.lines + 1, whole, shapes, self._behind, len(shapes) - left)
        found = set(stretch.distinct)
        seen = self._visit(stretch, found, likely)
        self._pool(stretch, found - seen, end, any(self._shapes.get(shape) in _READ for shape in seen))
        self.lines += stretch.end - stretch.start
        begin, self._behind = _back(whole, end, min(LOOKBEHIND, stretch.end))
        return whole[begin:]

    def _pool(self, stretch: Stretch, shapes: set[bytes], end: int, mixed: bool) -> None:
        kinds: dict[Kind, set[bytes]] = {}
        for shape in shapes:
            kind = self._shapes.get(shape)
            if kind in POOLED and kind:
                kinds.setdefault(kind, set()).add(shape)
        if kinds:
            begin = 0
            for _ in range(stretch.start):
                begin = stretch.whole.find(b"\n", begin) + 1
            self._visitor.bulk(stretch, kinds, None if mixed else stretch.whole[begin:end])

    def _visit(self, stretch: Stretch, found: set[bytes], likely: AbstractSet[int] | None) -> set[bytes]:
        """Look at the lines that have to be looked at; returns their shapes."""
        known, visitor, shapes, start = self._shapes, self._visitor, stretch.shapes, stretch.start
        todo, everything = self._todo(found), visitor.wants_all()
        if not todo and not everything:
            start = max(start, stretch.end - _TRACE_TAIL)
        todo |= {shape for shape in found if known.get(shape) in _TRACE}
        likely = self._likely(stretch, todo, likely)
        for index in range(start, stretch.end) if todo or everything else ():
            shape = shapes[index]
            if everything and not shape:
                shape = shape_of(stretch.lines[index])
                todo.update({shape} if known.get(shape) in _TRACE else ())
            if shape not in todo and not (everything and known.get(shape, Kind.NOTHING) is Kind.NOTHING):
                continue
            if likely is not None and index not in likely and shape not in known and not everything:
                continue
            kind = known.get(shape, Kind.ALWAYS)
            if kind is Kind.ALWAYS or everything:
                kind = visitor.visit(stretch.number_of(index), stretch.lines, index)
                everything = visitor.wants_all()
                if not everything:
                    self._remember(shape, kind)
            else:
                visitor.again(kind, stretch.number_of(index), stretch.lines, index)
                everything = visitor.wants_all()
        return todo

    def _likely(self, stretch: Stretch, todo: set[bytes], likely: AbstractSet[int] | None) -> AbstractSet[int] | None:
        """Places of the lines of new shapes worth a look; None where shapes are few enough to look at each."""
        if likely is None or len(likely) * SPARSE > len(stretch.shapes):
            new = sum(len(shape) + _A_LOOK for shape in todo if shape not in self._shapes)
            many, self._new = new > _FEW and self._new > _FIRST, self._new + new
            likely = likely or (self._visitor.screen(stretch.whole) if many else None)
            self._strange = likely is not None and len(likely) * SPARSE <= len(stretch.shapes)
        if likely is not None:
            self._visitor.screened(stretch, likely)
        return likely

    def _todo(self, found: set[bytes]) -> set[bytes]:
        """Shapes that are new, and those whose lines have to be taken singly."""
        known = self._shapes
        single = {kind for kind in Kind if self._visitor.one_by_one(kind)}
        return {shape for shape in found if known.get(shape, Kind.ALWAYS) in single}

    def _remember(self, shape: bytes, kind: Kind) -> None:
        self._bytes += len(shape) + 120
        if self._bytes > _SHAPES_BYTES:
            self._shapes.clear()
            self._bytes = 0
        self._shapes.setdefault(shape, kind)


def _back(data: bytes, end: int, lines: int) -> tuple[int, int]:
    """Where the last of the lines before `end` begin: at most `lines` of them, in bounded room; and how many."""
    begin, count = end, 0
    while count < lines:
        before = data.rfind(b"\n", 0, begin - 1) + 1
        if end - before > _ROOM:
            break
        begin, count = before, count + 1
    return begin, count
