"""Verdicts of one run as lines: the state of each metric and why, each cause said once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from matrix.core.state import State
from matrix.store.views import VerdictView
from web import words

_STATE = Markup('<span class="st s-{}"><svg class="g" aria-hidden="true"><use href="#g-{}"/></svg>{}</span>')
_LINE = Markup('<div><span class="metric">{}</span> {}{}</div>')
_WHY = Markup('<span class="why">{}</span>')
_LONGEST = 600


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


@lru_cache(maxsize=256)
def state_html(state: str) -> Markup:
    """A state with its glyph; a word that is no state is drawn as unknown, and oddly."""
    known = state in words.STATE_MEANING
    name, glyph = (state, state) if known else ("unknown odd", "unknown")
    return _STATE.format(name, glyph, words.visible(state))


@lru_cache(maxsize=4096)
def line_html(line: VerdictLine) -> Markup:
    """One line of verdicts: a page of a series has hundreds, most of which say the same."""
    why = _WHY.format(words.visible(words.cut(line.why, _LONGEST))) if line.why else ""
    return _LINE.format(words.visible(line.metric or "all metrics"), state_html(line.state), why)


def _new_in(why: str, earlier: Sequence[str]) -> str:
    """`not measured: <cause>` after a line that gave the cause is just `not measured`."""
    for sentence in earlier:
        if sentence and why.endswith(sentence):
            return why.removesuffix(sentence).rstrip(": ")
    return why
