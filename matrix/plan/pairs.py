"""Two sides of a comparison: how they are asked for, and which cell of one is set against which of the other."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Generic, Protocol, TypeVar

from matrix.core.errors import ConfigError, Where

FIELDS = ("engine", "revision", "target", "draft", "spec", "method", "launch", "workload", "hardware", "executor")
"""What names a cell, in the order in which it is told."""

_WILD = frozenset("*?[")
_GOES_WITH = {
    "target": {"draft"},
    "draft": {"spec", "method"},
    "spec": {"draft", "method"},
    "method": {"spec", "draft"},
}
"""What goes with a name: two sides that are asked to differ in it may differ in these, too."""


class Named(Protocol):
    """Anything with the names of a cell; `draft` is None without one."""

    @property
    def series_key(self) -> str: ...


Cell = TypeVar("Cell", bound=Named)


@dataclass(frozen=True, slots=True)
class Side:
    """Wildcards by field; a field that is not there may hold anything."""

    wanted: Mapping[str, str]

    def fits(self, cell: Named) -> bool:
        return all(_fits(name_of(cell, field), pattern) for field, pattern in self.wanted.items())

    def exact(self, field: str) -> str | None:
        """The one value that the field may have; None where any or several may."""
        value = self.wanted.get(field)
        return None if value is None or _WILD & set(value) else value

    def and_(self, other: "Side") -> "Side":
        """Narrowed by another side; where both name a field, this one counts."""
        return Side({**other.wanted, **self.wanted})

    def __str__(self) -> str:
        """As `side` reads it: a revision alone is a bare word."""
        if self.wanted.keys() == {"revision"}:
            return shlex.quote(self.wanted["revision"])
        return " ".join(f"{field}={shlex.quote(value)}" for field, value in self.wanted.items())


@dataclass(frozen=True, slots=True)
class Pair(Generic[Cell]):
    """A cell on both sides; None where a side has none that goes with the other's."""

    before: Cell | None
    after: Cell | None


def side(text: str, key: str) -> Side:
    """`0.32.0`, or `spec=eagle3 revision=0.32.0`: a bare word is a revision. ConfigError that names `key`."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise ConfigError(f"`{text}`: a quote is not closed", where=Where(key=key)) from None
    wanted: dict[str, str] = {}
    for word in words:
        field, equals, value = word.partition("=")
        field, value = (field, value) if equals else ("revision", word)
        if field not in FIELDS:
            hint = f"fields: {', '.join(FIELDS)}; a bare word is a revision"
            raise ConfigError(f"`{field}` is no field of a cell", hint=hint, where=Where(key=key))
        if field in wanted:
            raise ConfigError(f"{field} is named twice", hint="name it once", where=Where(key=key))
        wanted[field] = value
    return Side(wanted)


def check(before: Side, after: Side) -> None:
    """Raises ConfigError for sides that are the same, or so wide that they would be the whole database."""
    if before == after:
        hint = "for example 0.27.1 and 0.32.0, or spec=eagle3 and spec=ngram"
        raise ConfigError(f"both sides are `{before}`", hint=hint)
    for name, one in (("a", before), ("b", after)):
        if one.exact("revision") is None and one.exact("target") is None:
            hint = "add revision=... or target=..., on one side or for both"
            raise ConfigError(f"side `{one}` names neither a revision nor a target", hint=hint, where=Where(key=name))


def varying(before: Side, after: Side) -> frozenset[str]:
    """Fields in which two cells that are set side by side may differ."""
    named = {field for field in FIELDS if before.wanted.get(field) != after.wanted.get(field)}
    return frozenset(named.union(*(_GOES_WITH.get(field, set()) for field in named)))


def pairs(before: Iterable[Cell], after: Iterable[Cell], differing: frozenset[str]) -> list[Pair[Cell]]:
    """Cells that agree in all other fields, in the order of their names; those that are alone come with None.

    Where several cells of a side go with one of the other, each is set against it.
    """
    old, new = _by_rest(before, differing), _by_rest(after, differing)
    found: list[Pair[Cell]] = []
    for rest in sorted(old.keys() | new.keys()):
        mine: list[Cell | None] = [*old.get(rest, [])]
        theirs: list[Cell | None] = [*new.get(rest, [])]
        found += [Pair(one, other) for one in mine or [None] for other in theirs or [None] if one != other]
    return found


def name_of(cell: Named, field: str) -> str:
    """The cell's name in a field; empty for a draft that is none."""
    return str(getattr(cell, field) or "")


def _by_rest(cells: Iterable[Cell], differing: frozenset[str]) -> dict[tuple[str, ...], list[Cell]]:
    groups: dict[tuple[str, ...], list[Cell]] = {}
    fixed: Sequence[str] = [field for field in FIELDS if field not in differing]
    for cell in sorted(cells, key=lambda cell: [name_of(cell, field) for field in FIELDS]):
        groups.setdefault(tuple(name_of(cell, field) for field in fixed), []).append(cell)
    return groups


def _fits(value: str, pattern: str) -> bool:
    return value == pattern or (bool(_WILD & set(pattern)) and fnmatchcase(value, pattern))
