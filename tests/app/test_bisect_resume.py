"""A bisection that is killed again and again: nothing is run twice, and it ends as the undisturbed one does."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.app.bisect.command_hunt import CommandHunt, Try
from matrix.app.bisect.points import Line
from matrix.app.bisect.request import Regress, Request
from matrix.bisect.answers import Said
from matrix.bisect.history import History, linear
from matrix.bisect.search import Decision
from matrix.store import Store, open_store
from tests.app.hunts import Machine, begun, breaking_at, hunted, killing, line_of
from tests.bisect.histories import erring, histories


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path_factory.mktemp('resume')}/history.db")
    yield opened
    opened.close()


def said(store: Store, number: int) -> list[tuple[str, str, str, int | None]]:
    return [(a.point, a.said, a.phase, a.boot) for a in store.bisections.get(number).answers]


@given(histories(least=2, most=10), st.integers(0, 2**32), st.data())
@settings(max_examples=6, deadline=None)
def test_kills_at_any_step_change_nothing(shared: Store, history: History, seed: int, data: st.DataObject) -> None:
    """Wrong answers and points that cannot be built included: what a run says hangs on its point and boot alone."""
    culprit = data.draw(st.integers(0, len(history) - 1))
    broken = data.draw(st.sets(st.integers(0, len(history) - 2), max_size=3))
    line = line_of(history)

    def rule(point: int, boot: int) -> Said:
        if point in broken:
            return Said.SKIP
        return erring(history, culprit, Random(f"{seed} {point} {boot}").random, 0.1, 0.1)(point)

    numbers, ends = [], []
    for chance in (0.0, 0.3):
        numbers.append(begun(shared, line))
        machine = Machine(shared, f"m{numbers[-1]}", rule, killing(Random(seed), chance))
        ends.append(hunted(machine, line, numbers[-1]))
        assert set(machine.completed.values()) == {1}
        assert len(machine.completed) == len(shared.bisections.get(numbers[-1]).answers)
    assert said(shared, numbers[0]) == said(shared, numbers[1])
    assert ends[0] == ends[1]


@pytest.mark.parametrize("seed", range(4))
def test_kills_in_the_middle_of_parallel_points_lose_none_that_was_run(shared: Store, seed: int) -> None:
    history = linear([f"p{i}" for i in range(32)])
    line, number = line_of(history), begun(shared, line_of(history))
    machine = Machine(shared, f"abreast{number}", breaking_at(11), killing(Random(seed), 0.1))
    end = hunted(machine, line, number, parallel=3)
    assert end.suspects
    assert end.suspects.changes == (11,)
    assert set(machine.completed.values()) == {1}


@pytest.mark.parametrize("seed", range(6))
def test_a_command_is_never_run_again_for_an_answer_that_is_kept(stored: Store, seed: int) -> None:
    """Three runs a point, kills between and within them: each run that ended is a row, and each row one run."""
    line, dice = line_of(linear([f"p{i}" for i in range(24)])), Random(seed)
    request = Request("", "any", "", Regress.WORKS, "", command=("ask",), samples=3)
    ended: Counter[str] = Counter()

    def attempt(point: str, name: str) -> int:
        if dice.random() < 0.2:
            raise KeyboardInterrupt
        ended[name] += 1
        return int(line.index(point) >= 15)

    number = begun(stored, line)
    decision = _until_the_end(stored, request, line, number, attempt)
    assert decision.suspects
    assert decision.suspects.changes == (15,)
    assert set(ended.values()) == {1}
    assert sum(ended.values()) == len(stored.bisections.get(number).answers)


def _until_the_end(store: Store, request: Request, line: Line, number: int, attempt: Try) -> Decision:
    for _ in range(300):
        try:
            return CommandHunt(request, line, number, store, attempt, lambda _: None).go()[1]
        except KeyboardInterrupt:
            continue
    raise AssertionError("no end")
