"""Verdicts of one run as lines: the state of each metric and why, each cause said once."""

from collections.abc import Sequence
from dataclasses import dataclass

from matrix.store.views import VerdictView
from web import words


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """`why` may be empty where an earlier line of the same run said it."""

    metric: str
    state: str
    why: str


def verdict_lines(verdicts: Sequence[VerdictView]) -> list[VerdictLine]:
    """One line a metric; the figures stand in where a verdict has no reason."""
    said: list[str] = []
    lines = []
    for verdict in verdicts:
        why = verdict.reason or words.chip(verdict.numbers)
        lines.append(VerdictLine(words.metric(verdict.metric), verdict.state, _new_in(why, said)))
        said.append(why)
    return lines


def _new_in(why: str, said: Sequence[str]) -> str:
    """`not measured: <cause>` after a line that gave the cause is just `not measured`."""
    for earlier in said:
        if earlier and why.endswith(earlier):
            return why.removesuffix(earlier).rstrip(": ")
    return why
