"""Verdicts of one run as lines: the state of each metric and why, each cause said once."""

from collections.abc import Sequence
from dataclasses import dataclass

from matrix.core.state import State
from matrix.store.views import VerdictView
from web import words


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """`why` may be empty where an earlier line of the same run said it."""

    metric: str
    state: str
    why: str


def verdict_lines(verdicts: Sequence[VerdictView], *, brief: bool = False, said: str = "") -> list[VerdictLine]:
    """One line a metric; the figures stand in where a verdict has no reason.

    `brief` leaves out the figures of what was not judged, for places where columns show them. `said` is a sentence that
    already stands there.
    """
    earlier = [said]
    lines = []
    for verdict in verdicts:
        why = verdict.reason or words.chip(verdict.numbers)
        new = _new_in(why, earlier)
        shown = new.rpartition("; ")[2] if brief and verdict.state == State.UNKNOWN else new
        lines.append(VerdictLine(words.metric(verdict.metric), verdict.state, shown))
        earlier.append(why)
    return lines


def _new_in(why: str, earlier: Sequence[str]) -> str:
    """`not measured: <cause>` after a line that gave the cause is just `not measured`."""
    for sentence in earlier:
        if sentence and why.endswith(sentence):
            return why.removesuffix(sentence).rstrip(": ")
    return why
