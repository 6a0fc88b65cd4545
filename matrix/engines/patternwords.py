"""What a pattern asks of a text: for each of its alternatives, the literal runs that must all occur in it."""

from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Runs = list[str]


def alternatives(pattern: str) -> list[Runs]:
    """Each alternative's runs; a part that may be missing or vary ends a run."""
    return [[run for run in runs if run] for runs in _sequence(parser.parse(pattern))]


def needed(pattern: str) -> tuple[str, ...]:
    """Words of which a text must hold one to match: the longest run of each alternative; ("",) if one has none."""
    return tuple({max(runs, key=len, default="") for runs in alternatives(pattern)})


def _sequence(tokens: Any) -> list[Runs]:
    found: list[Runs] = [[""]]
    for operation, value in tokens:
        found = [_joined(runs, part) for runs in found for part in _parts(operation, value)]
    return found


def _joined(runs: Runs, part: Runs) -> Runs:
    return [*runs[:-1], runs[-1] + part[0], *part[1:]]


def _parts(operation: Any, value: Any) -> list[Runs]:
    if operation is kinds.LITERAL:
        return [[chr(value)]]
    if operation is kinds.SUBPATTERN:
        return _sequence(value[3])
    if operation is kinds.BRANCH:
        return [runs for branch in value[1] for runs in _sequence(branch)]
    if operation in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        return _repeated(*value)
    if operation in (kinds.AT, kinds.ASSERT_NOT):
        return [[""]]
    if operation is kinds.IN and len(value) == 2 and all(kind is kinds.LITERAL for kind, _ in value):
        return [[chr(letter)] for _, letter in value]
    return [["", ""]]


def _repeated(least: int, most: int, tokens: Any) -> list[Runs]:
    if least:
        return [[*runs, ""] for runs in _sequence(tokens)]
    return [*_sequence(tokens), [""]] if most == 1 else [["", ""]]
