"""The suspects: changes that no testable point can tell apart, and the points that frame them."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matrix.bisect.history import GOOD_END, History, holds
from matrix.bisect.posterior import Floats

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Suspects:
    """`changes` are told apart by no point that can be tested; `mass` is the probability that one is the culprit.

    `bad` is the earliest testable point that holds them all, `good` the latest testable ones that hold none of them
    and come right before them (the good end where no point does).
    """

    changes: tuple[int, ...]
    mass: float
    bad: int
    good: tuple[int, ...]


def suspects(history: History, culprit: Floats, untestable: Collection[int]) -> Suspects:
    """The most probable class of changes."""
    labels, masses = classes(history, culprit, untestable)
    members = np.flatnonzero(labels == int(np.argmax(masses)))
    rows = holds(history)
    testable = np.ones(len(history), dtype=np.bool_)
    testable[[i for i in untestable if i != GOOD_END]] = False
    testable[-1] = True
    with_all = np.flatnonzero(testable & rows[:, members].all(axis=1))
    bad = int(with_all[np.argmin(rows[with_all].sum(axis=1))])
    return Suspects(tuple(int(m) for m in members), float(masses.max()), bad, _before(history, members, bad, testable))


def classes(history: History, culprit: Floats, untestable: Collection[int]) -> tuple[Labels, Floats]:
    """A class number for each change, shape (n,), and each class's probability. The bad end counts as testable."""
    last = len(history) - 1
    between = frozenset(untestable) - {last, GOOD_END}
    if not between:
        return np.arange(len(history), dtype=np.int64), culprit
    labels = _labels(history, between)
    return labels, np.bincount(labels, weights=culprit).astype(np.float64)


@lru_cache(maxsize=64)
def _labels(history: History, untestable: frozenset[int]) -> Labels:
    kept = [i for i in range(len(history)) if i not in untestable]
    seen: dict[bytes, int] = {}
    columns = np.packbits(holds(history)[kept].T, axis=1)
    found: Labels = np.array([seen.setdefault(column.tobytes(), len(seen)) for column in columns], dtype=np.int64)
    found.flags.writeable = False
    return found


def _before(history: History, members: Labels, bad: int, testable: NDArray[np.bool_]) -> tuple[int, ...]:
    """The latest testable ancestors of `bad` that hold none of `members`."""
    rows = holds(history)
    free = testable & ~rows[:, members].any(axis=1) & rows[bad]
    found: list[int] = []
    while free.any():
        # Ancestors come first, so the last one that is left has no descendant among them.
        found.append(len(free) - 1 - int(np.argmax(free[::-1])))
        free = free & ~rows[found[-1]]
    return tuple(sorted(found)) or (GOOD_END,)
