"""Histories with merges, and truths to search for, made by hypothesis."""

from collections.abc import Callable

from hypothesis import strategies as st

from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END, History, holds
from matrix.bisect.search import Decision, Phase, State, decide


def history_of(size: int, links: Callable[[int], list[int]]) -> History:
    """`size` points whose parents `links` names; heads that nothing descends from are merged by the last point."""
    parents = [tuple(sorted(set(links(i)))) for i in range(size - 1)]
    used = {p for row in parents for p in row}
    heads = tuple(i for i in range(size - 1) if i not in used)
    return History(tuple(f"c{i:03d}x" for i in range(size)), (*parents, heads))


@st.composite
def histories(draw: st.DrawFn, least: int = 1, most: int = 24) -> History:
    """Any topology: chains, forks, merges of several lines, roots that start from the good end."""
    size = draw(st.integers(least, most))
    rows = [draw(st.lists(st.integers(0, i - 1), max_size=3)) if i else [] for i in range(size)]
    return history_of(size, lambda i: rows[i])


def truth(history: History, culprit: int) -> Callable[[int], Said]:
    """What a run without error says of each point when `culprit` broke it."""
    return lambda point: Said.BAD if point != GOOD_END and holds(history)[point, culprit] else Said.GOOD


def erring(
    history: History, culprit: int, chance: Callable[[], float], wrong_bad: float, wrong_good: float
) -> Callable[[int], Said]:
    """As `truth`, but wrong now and then between the ends; `chance` gives numbers in [0, 1)."""
    say = truth(history, culprit)

    def said(point: int) -> Said:
        right = say(point)
        if point in (GOOD_END, len(history) - 1) or chance() >= (wrong_bad if right is Said.GOOD else wrong_good):
            return right
        return Said.BAD if right is Said.GOOD else Said.GOOD

    return said


def search(state: State, say: Callable[[int], Said], limit: int = 400) -> tuple[State, Decision, list[Phase]]:
    """Run a search to its end; returns the last state, the last decision and the phase of each run."""
    phases: list[Phase] = []
    for _ in range(limit):
        decision = decide(state)
        if not decision.points:
            return state, decision, phases
        phases += [decision.phase] * len(decision.points)
        state = state.told(Answer(point, say(point)) for point in decision.points)
    raise AssertionError(f"no end after {limit} decisions")
