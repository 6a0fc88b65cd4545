"""How a search stands, in one line for those who wait for it."""

from matrix.app.bisect.points import Line
from matrix.app.bisect.report import short
from matrix.bisect.search import Phase, State, culprit, decide
from matrix.bisect.standing import runs_left, span

_TOP = 3
_SAID = 0.005


def standing(line: Line, state: State) -> str:
    """The three top suspects, the range that holds nine tenths, and the runs that are left; empty between the ends."""
    decision, chances = decide(state), culprit(state)
    if decision.phase in (Phase.ENDS, Phase.REFUSED):
        return ""
    best = sorted(range(len(chances)), key=lambda i: -chances[i])[:_TOP]
    suspects = [f"{_name(line, i)} {100 * chances[i]:.0f} %" for i in best if chances[i] >= _SAID]
    first, last = span(chances)
    within = _name(line, first) if first == last else f"{_name(line, first)} to {_name(line, last)}"
    return f"suspects {', '.join(suspects)}; 90 % range {within}; {left(runs_left(state, chances))}"


def left(runs: int) -> str:
    """`about 3 runs left`."""
    return "nothing left to run" if not runs else f"about {runs} {'run' if runs == 1 else 'runs'} left"


def _name(line: Line, index: int) -> str:
    return short(line.points[index].name)
