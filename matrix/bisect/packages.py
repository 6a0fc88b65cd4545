"""From one environment to another, package by package: what differs, and in which order it can move.

The order is a line from the good lock to the bad one. A package that cannot move alone, because a resolver refuses the
environment in between, waits until it can; packages that never can move in one step together.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

ABSENT = "absent"

Lock = dict[str, str]
"""Version by package name; a package from an address has `@ ADDRESS` as its version."""

Fits = Callable[[Lock], bool]
"""Whether a resolver accepts exactly these packages together."""


class Move(NamedTuple):
    """One package from its version in the good lock to that in the bad one; ABSENT where it is in neither."""

    name: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.name} {self.old} -> {self.new}"


Step = tuple[Move, ...]
"""Moves made at once."""


def moves(good: Mapping[str, str], bad: Mapping[str, str]) -> list[Move]:
    """What differs between two locks, by name."""
    names = sorted(good.keys() | bad.keys())
    pairs = [Move(name, good.get(name, ABSENT), bad.get(name, ABSENT)) for name in names]
    return [move for move in pairs if move.old != move.new]


def moved(lock: Mapping[str, str], made: Iterable[Move]) -> Lock:
    """The lock after these moves."""
    found = dict(lock)
    for move in made:
        found.pop(move.name, None)
        if move.new != ABSENT:
            found[move.name] = move.new
    return found


def by_date(found: Iterable[Move], dates: Mapping[str, str]) -> list[Move]:
    """In the order in which the new versions were published; `dates` holds their days (or times) by package name.

    Those without a date come last, lower versions first; a removal has none.
    """
    return sorted(found, key=lambda m: (m.name not in dates, dates.get(m.name, ""), _version(m.new), m.name))


def steps(good: Mapping[str, str], ordered: Sequence[Move], fits: Fits) -> list[Step]:
    """All moves as steps, nearly in their order, such that `fits` accepts the environment after each.

    The environment after all moves is not asked about. One pass over what is left at a time; where a pass makes no
    step, moves that need each other are made at once.
    """
    made: list[Step] = []
    here, left = dict(good), list(ordered)
    while left:
        waiting: list[Move] = []
        for number, move in enumerate(left):
            after = moved(here, [move])
            last = not waiting and number == len(left) - 1
            if last or fits(after):
                made.append((move,))
                here = after
            else:
                waiting.append(move)
        if len(waiting) == len(left):
            together = _smallest(here, waiting, fits)
            made.append(together)
            here = moved(here, together)
            waiting = [move for move in waiting if move not in together]
        left = waiting
    return made


def _smallest(here: Mapping[str, str], left: Sequence[Move], fits: Fits) -> Step:
    """A small set of moves that fits; of several circles in it that could only go together, all are in it."""
    found = _needed(here, left[0], left, fits)
    for move in found[1:]:
        if move in found and len(fewer := _needed(here, move, found, fits)) < len(found):
            found = fewer
    return found


def _needed(here: Mapping[str, str], first: Move, among: Sequence[Move], fits: Fits) -> Step:
    """What the first move needs: all of them, less every move that it can do without (one try each)."""
    needed = list(among)
    for move in reversed(among):
        fewer = [other for other in needed if other != move]
        if move != first and fits(moved(here, fewer)):
            needed = fewer
    return tuple(needed)


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")
