"""The points between a good end and a bad end, and which of them hold which change."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

GOOD_END = -1
"""Index of the good end: it holds none of the changes that are searched."""

_NAME = re.compile(r"[^\s'\"\\]+")


@dataclass(frozen=True, slots=True)
class History:
    """`points` in topological order, oldest first; the last one is the bad end and descends from all others.

    `parents[i]` are the indices of the parents of point i; a parent outside the range is left out. Each point is also a
    change that may be the culprit. Raises ValueError for a parent that does not come before its child, for an empty
    range, for a name that occurs twice or has spaces or quotes, and for a point that the bad end does not hold.
    """

    points: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    good: str = "good-end"
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Matrices are looked up by the history, at every decision; its thousands of names are hashed once.
        object.__setattr__(self, "_hash", hash((self.points, self.parents, self.good)))
        if not self.points or len(self.points) != len(self.parents):
            raise ValueError("a history needs at least one point, and parents for each")
        if len({*self.points, self.good}) != len(self.points) + 1:
            raise ValueError("a point occurs twice in the history")
        if any(not _NAME.fullmatch(name) for name in (*self.points, self.good)):
            raise ValueError("a point's name has no spaces and no quotes")
        if any(not 0 <= parent < i for i, parents in enumerate(self.parents) for parent in parents):
            raise ValueError("a parent must come before its child")
        if not holds(self)[-1].all():
            raise ValueError("the bad end does not descend from every point")

    def __hash__(self) -> int:
        return self._hash

    def __len__(self) -> int:
        return len(self.points)

    def name(self, point: int) -> str:
        return self.good if point == GOOD_END else self.points[point]


@lru_cache(maxsize=8)
def holds(history: History) -> NDArray[np.bool_]:
    """Shape (n, n): [x, c] is True when point x holds change c, that is, c is x or one of its ancestors."""
    found = np.eye(len(history.points), dtype=np.bool_)
    for point, parents in enumerate(history.parents):
        for parent in parents:
            found[point] |= found[parent]
    found.flags.writeable = False
    return found


@lru_cache(maxsize=8)
def weights(history: History) -> NDArray[np.float64]:
    """`holds` as numbers, for sums of probabilities."""
    found = holds(history).astype(np.float64)
    found.flags.writeable = False
    return found


def held_by(history: History, point: int) -> NDArray[np.bool_]:
    """The changes that `point` holds, shape (n,); none for the good end."""
    return np.zeros(len(history), dtype=np.bool_) if point == GOOD_END else holds(history)[point]


def linear(points: Sequence[str], good: str = "good-end") -> History:
    """A history without merges, such as releases or nightlies: each point's parent is the one before it."""
    return History(tuple(points), tuple((i - 1,) if i else () for i in range(len(points))), good)


def from_parents(
    order: Sequence[str], parents: dict[str, Iterable[str]], good: str = "good-end", outside: Iterable[str] = ()
) -> History:
    """A history of named points. `order` is topological, oldest first; parents in `outside` are good by assumption.

    Raises ValueError for a parent that is neither in `order` nor in `outside`.
    """
    index = {name: i for i, name in enumerate(order)}
    left_out = {*outside, good}
    rows: list[tuple[int, ...]] = []
    for name in order:
        known = list(parents.get(name, ()))
        strange = [p for p in known if p not in index and p not in left_out]
        if strange:
            raise ValueError(f"{name} has the parent {strange[0]}, which is not in the range")
        rows.append(tuple(index[p] for p in known if p in index))
    return History(tuple(order), tuple(rows), good)
