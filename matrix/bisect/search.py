"""The search: a pure function from a state to what to do next.

Ends first: both are run before anything between them. Then the points that tell most, until one class of suspects is
framed by answers on both sides; then these are run again, until the probability asked for is reached.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from matrix.bisect.answers import NO_RATES, Answer, Rates, Said, skipped
from matrix.bisect.choose import Odds, choose
from matrix.bisect.history import GOOD_END, History, holds
from matrix.bisect.posterior import SELECTION, STATED, Floats, RatePrior, mean_rates, posterior
from matrix.bisect.suspects import Suspects, suspects


class Phase(StrEnum):
    """Why points are run, or why no more are."""

    ENDS = "ends"
    SEARCH = "search"
    VERIFY = "verify"
    DONE = "done"
    STOPPED = "stopped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Settings:
    """When to stop. `confidence` is the probability asked for, `most_runs` a cap on runs between the ends.

    `verify` is how often each side of the culprit is run again after the search, `parallel` how many points may run at
    the same time. `tolerate` searches on although an end gave both answers. `selection` is a sharper belief about the
    error rates that only chooses points; what is stated rests on `belief`, which is chosen so that stated confidences
    hold in simulation (`benchmarks`).
    """

    confidence: float = 0.95
    most_runs: int = 200
    verify: int = 1
    parallel: int = 1
    tolerate: bool = False
    belief: RatePrior = STATED
    selection: RatePrior = SELECTION


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class State:
    """All that a bisection knows. `prior` and `seconds` hold one positive number a point."""

    history: History
    prior: tuple[float, ...]
    seconds: tuple[float, ...]
    answers: tuple[Answer, ...] = ()
    rates: Rates = NO_RATES
    settings: Settings = DEFAULTS

    def told(self, answers: Iterable[Answer]) -> "State":
        """The state with these answers too."""
        return replace(self, answers=(*self.answers, *answers))


@dataclass(frozen=True, slots=True)
class Decision:
    """`points` to run next (empty at the end), the leading suspects, and why."""

    phase: Phase
    points: tuple[int, ...]
    suspects: Suspects | None
    reason: str = ""


def begin(history: History, settings: Settings = DEFAULTS, rates: Rates = NO_RATES) -> State:
    """A state without answers, every change as probable and every run as dear as any other."""
    same = (1.0,) * len(history)
    return State(history, same, same, (), rates, settings)


def culprit(state: State) -> Floats:
    """Shape (n,): the probability that each change is the culprit."""
    return posterior(state.history, state.prior, state.answers, state.rates, state.settings.belief)


def decide(state: State) -> Decision:
    """What to do next. The order in which the answers came does not matter."""
    ends = _ends(state)
    if ends is not None:
        return ends
    found = culprit(state)
    leading = suspects(state.history, found, skipped(state.answers))
    between = sum(a.point not in (GOOD_END, len(state.history) - 1) for a in state.answers)
    if between >= state.settings.most_runs:
        return Decision(Phase.STOPPED, (), leading, f"{between} runs were made, as many as are allowed")
    if framed(state, leading):
        return _verify(state, leading)
    return _next(state, leading, Phase.SEARCH)


def _ends(state: State) -> Decision | None:
    """Runs of the ends that are still needed, or the refusal to search between ends that do not differ."""
    bad_end = len(state.history) - 1
    for end, expected, word in ((GOOD_END, Said.GOOD, "good"), (bad_end, Said.BAD, "bad")):
        said = _said(state.answers, end)
        right = said.count(expected)
        name = state.history.name(end)
        if said and not right:
            return Decision(Phase.REFUSED, (), None, f"the {word} end {name} is {said[0]}")
        if right < len(said) and not state.settings.tolerate:
            reason = f"the {word} end {name} is flaky: {right} of {len(said)} runs said {word}"
            return Decision(Phase.REFUSED, (), None, reason)
        if not said and any(a.point == end for a in state.answers):
            return Decision(Phase.REFUSED, (), None, f"the {word} end {name} cannot be tested")
    asked = {a.point for a in state.answers}
    missing = tuple(end for end in (GOOD_END, bad_end) if end not in asked)
    return Decision(Phase.ENDS, missing, None) if missing else None


def framed(state: State, found: Suspects) -> bool:
    """True when answers say good right before the suspects and bad right at them.

    An answer stands for others: good at a point is good for what that point holds, bad is bad for what holds it.
    """
    return found.mass > 0.5 and all(_support(state, found, point, said) >= 1 for point, said in _frame(found))


def _frame(found: Suspects) -> list[tuple[int, Said]]:
    return [(found.bad, Said.BAD), *((point, Said.GOOD) for point in found.good)]


def _support(state: State, found: Suspects, point: int, said: Said) -> int:
    """Answers for, less answers against, at the points that stand for `point`."""
    rows, changes = holds(state.history), list(found.changes)
    if said is Said.BAD:
        standing = np.flatnonzero(rows[point] & rows[:, changes].all(axis=1))
    elif point == GOOD_END:
        standing = np.array([GOOD_END])
    else:
        standing = np.flatnonzero(rows[:, point] & ~rows[:, changes].any(axis=1))
    return sum(_balance(state.answers, int(other), said) for other in standing)


def _said(answers: Sequence[Answer], point: int) -> list[Said]:
    return [a.said for a in answers if a.point == point and a.said is not Said.SKIP]


def _balance(answers: Sequence[Answer], point: int, said: Said) -> int:
    at = _said(answers, point)
    return 2 * at.count(said) - len(at)


def _verify(state: State, leading: Suspects) -> Decision:
    again = [point for point, said in _frame(leading) if _unverified(state, leading, point, said)]
    if again:
        return Decision(Phase.VERIFY, tuple(again[: state.settings.parallel]), leading)
    if leading.mass >= state.settings.confidence:
        return Decision(Phase.DONE, (), leading)
    return _next(state, leading, Phase.VERIFY)


def _unverified(state: State, leading: Suspects, point: int, said: Said) -> bool:
    """Each side of the culprit is run itself, and once more than the search needed."""
    itself = _balance(state.answers, point, said)
    return itself < 1 or _support(state, leading, point, said) < 1 + state.settings.verify


def _next(state: State, leading: Suspects, phase: Phase) -> Decision:
    belief = state.settings.belief if phase is Phase.VERIFY else state.settings.selection
    sharp = posterior(state.history, state.prior, state.answers, state.rates, belief)
    odds = Odds(sharp, *mean_rates(state.rates, belief))
    untestable = skipped(state.answers)
    points = choose(state.history, odds, state.seconds, state.answers, untestable, state.settings.parallel)
    if points:
        return Decision(phase, points, leading)
    return Decision(Phase.STOPPED, (), leading, "no point that can be tested tells the suspects apart")
