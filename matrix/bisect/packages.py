"""From one environment to another, package by package: what differs, and in which order it can move.

The order is a line from the good lock to the bad one. A package that cannot move alone, because a resolver refuses the
environment in between, waits until it can; packages that never can move in one step together.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from matrix.bisect.priors import LIKELY, PLAIN

ABSENT = "absent"

_NEAR = re.compile(
    r"(torch$)|(transformers$)|(flashinfer|flash-attn|.*kernel|triton)|(nvidia-|cuda)|(xgrammar|tokenizers$)"
)
"""Packages that compute, load models or hold drafts back; the group of a name is its rank among them."""

Lock = dict[str, str]
"""Version by package name; a package from an address has `@ ADDRESS` as its version."""

Fits = Callable[[Lock], bool]
"""Whether a resolver accepts exactly these packages together."""


class Move(NamedTuple):
    """One package from its version in the good lock to that in the bad one; ABSENT where a lock has it not."""

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

    The environment after all moves is not asked about. One pass over what is left at a time: a move is made alone, else
    with one that waits, else it waits. Where a pass makes no step, moves that need each other are made at once.
    """
    made: list[Step] = []
    here, left = dict(good), list(ordered)
    while left:
        waiting: list[Move] = []
        for number, move in enumerate(left):
            last = not waiting and number == len(left) - 1
            now = [(move,)] if last else _possible(here, move, waiting, fits)
            waiting = [other for other in (*waiting, move) if not any(other in step for step in now)]
            here = moved(here, [other for step in now for other in step])
            made += now
        if len(waiting) == len(left):
            together = _smallest(here, waiting, fits)
            made.append(together)
            here = moved(here, together)
            waiting = [move for move in waiting if move not in together]
        left = waiting
    return made


def _possible(here: Mapping[str, str], move: Move, waiting: Sequence[Move], fits: Fits) -> list[Step]:
    """The steps that a move makes possible now: it alone, or with one that waits; none where it must wait too."""
    if fits(moved(here, [move])):
        return [(move,)]
    other = next((other for other in waiting if fits(moved(here, [other, move]))), None)
    if other is None:
        return []
    return [(other,), (move,)] if fits(moved(here, [other])) else [(other, move)]


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


def weight(step: Step) -> float:
    """The prior weight of a step: what computes and what loads models is likelier than the rest (a judgement)."""
    return LIKELY if any(_NEAR.match(move.name) for move in step) else PLAIN


def leading(step: Step) -> Move:
    """The move that a step is named after: the likeliest, else the first."""
    return min(step, key=lambda move: _rank(move.name))


def _rank(name: str) -> int:
    found = _NEAR.match(name)
    return found.lastindex or 0 if found else _LAST_RANK


_LAST_RANK = 9


def words(step: Step) -> str:
    """`transformers 4.56.2 -> 4.57.0 (with tokenizers 0.21.4 -> 0.22.1)`."""
    lead = leading(step)
    others = ", ".join(str(move) for move in step if move != lead)
    return f"{lead} (with {others})" if others else str(lead)


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")
