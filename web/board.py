"""Which squares of the heatmap changed since a page last heard from us."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock

from matrix.store.views import Overview, Square
from web.squares import row_squares

_KEPT = 32


@dataclass(frozen=True, slots=True)
class Board:
    """All squares by element id; hashes of rows and columns (`shape`), of what the squares say, and of the flips."""

    squares: dict[str, Square | None]
    shape: str
    content: str
    flips: str

    @property
    def mark(self) -> str:
        """Names this state of the page; a page sends it back to ask what changed since."""
        return f"{self.shape}.{self.content}.{self.flips}"


@dataclass(frozen=True, slots=True)
class Changes:
    """What a page that shows an older board must redraw."""

    squares: dict[str, Square | None]
    flips: bool


def board(overview: Overview) -> Board:
    squares: dict[str, Square | None] = {}
    frame, content = [], []
    for heatmap in overview.heatmaps:
        frame.append((heatmap.engine, tuple(heatmap.revisions), tuple(row.series_key for row in heatmap.rows)))
        for row in heatmap.rows:
            of_row, said = row_squares(row)
            squares |= of_row
            content.append(said)
    flips = _hash((*overview.regressions, None, *overview.fixed))
    return Board(squares=squares, shape=_hash(tuple(frame)), content=_hash(tuple(content)), flips=flips)


def _hash(body: Hashable) -> str:
    """Good for the life of this process, which is as long as boards are remembered."""
    return f"{hash(body) & (2**64 - 1):016x}"


@dataclass(frozen=True, slots=True)
class Boards:
    """The last boards sent, so that the next answer holds only what changed. Safe to call from several threads."""

    _sent: OrderedDict[str, Board] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def remember(self, current: Board) -> None:
        with self._lock:
            self._sent[current.mark] = current
            self._sent.move_to_end(current.mark)
            while len(self._sent) > _KEPT:
                self._sent.popitem(last=False)

    def changes(self, mark: str, current: Board) -> Changes | None:
        """What differs from the board called `mark` (everything, when it is forgotten); None when the frame differs."""
        if mark.partition(".")[0] != current.shape:
            return None
        with self._lock:
            before = self._sent.get(mark)
        if before is None:
            return Changes(current.squares, flips=True)
        squares = {key: square for key, square in current.squares.items() if before.squares.get(key) != square}
        return Changes(squares, flips=before.flips != current.flips)
