"""Points that run at the same time: their answers come as they are there, and none is left running."""

import gc
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import pytest

from matrix.app.bisect import hunt as hunting
from matrix.app.bisect.abreast import at_once
from matrix.bisect.answers import Said
from matrix.bisect.history import linear
from matrix.core.errors import InfraError
from matrix.store import Store, StoredPoint
from tests.app.hunts import Machine, begun, breaking_at, hunt_on, line_of
from tests.databases import on_both

PATIENCE_S = 60


def test_all_run_at_the_same_time_and_come_as_they_end() -> None:
    met = threading.Barrier(3, timeout=PATIENCE_S)
    last = threading.Event()

    def run(point: int) -> Any:
        met.wait()
        if point == 1:
            assert last.wait(PATIENCE_S)
        return f"run of {point}"

    found: list[tuple[int, Any]] = []
    for point, got in at_once(run, (1, 2, 3)):
        found.append((point, got))
        if len(found) == 2:
            last.set()
    assert found[2] == (1, "run of 1")
    assert sorted(found) == [(1, "run of 1"), (2, "run of 2"), (3, "run of 3")]


@pytest.mark.parametrize("error", [RuntimeError("the machine fails"), KeyboardInterrupt()])
def test_when_one_fails_the_others_are_interrupted_and_clean_up(error: BaseException) -> None:
    started, cleaned = threading.Event(), threading.Event()

    def run(point: int) -> Any:
        if point == 1:
            assert started.wait(PATIENCE_S)
            raise error
        try:
            started.set()
            while True:
                threading.Event().wait(0.01)
        except KeyboardInterrupt:
            cleaned.set()
            raise

    with pytest.raises(type(error)):
        list(at_once(run, (1, 2)))
    assert cleaned.is_set()
    assert not [t for t in threading.enumerate() if t.name.startswith("point ")]


def test_what_an_interrupted_point_held_is_let_go_with_it() -> None:
    """The interruption may strike in the middle of a transaction, which lasts as long as anything refers to it."""
    begun = threading.Event()
    seen: list[weakref.ref[object]] = []

    class Transaction:
        pass

    def run(point: int) -> Any:
        if point == 1:
            assert begun.wait(PATIENCE_S)
            raise RuntimeError("the machine fails")
        held = Transaction()
        seen.append(weakref.ref(held))
        begun.set()
        while held:
            threading.Event().wait(0.01)

    gc.disable()
    try:
        with pytest.raises(RuntimeError) as raised:
            list(at_once(run, (1, 2)))
        assert raised.value.__traceback__ is not None
        assert seen[0]() is None
    finally:
        gc.enable()


def test_a_caller_that_stops_listening_leaves_none_running() -> None:
    ended = threading.Event()

    def run(point: int) -> Any:
        try:
            while point == 2:
                threading.Event().wait(0.01)
        finally:
            if point == 2:
                ended.set()

    answers = at_once(run, (1, 2))
    assert next(answers)[0] == 1
    answers.close()  # type: ignore[attr-defined]
    assert ended.is_set()


LINE = line_of(linear([f"p{i}" for i in range(64)]))
Run = Callable[[int], StoredPoint]


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The points of each round, none of which begins before all of the round have begun."""
    seen: list[tuple[int, ...]] = []

    def together(run: Run, points: Sequence[int]) -> Iterator[tuple[int, StoredPoint]]:
        seen.append(tuple(points))
        met = threading.Barrier(len(points), timeout=PATIENCE_S)

        def meeting(point: int) -> StoredPoint:
            met.wait()
            return run(point)

        return at_once(meeting, points)

    monkeypatch.setattr(hunting, "at_once", together)
    return seen


@pytest.mark.parametrize("culprit", [21, 63])
def test_three_at_a_time_are_asked_in_rounds_and_take_forty_per_cent_fewer(
    stored: Store, rounds: list[tuple[int, ...]], culprit: int
) -> None:
    """Six halvings of 64 points take six runs one by one; three at a time quarter what is left."""
    number = begun(stored, LINE)
    machine = Machine(stored, "three", breaking_at(culprit))
    _, end = hunt_on(machine, LINE, number, parallel=3).go()
    assert end.suspects
    assert end.suspects.changes == (culprit,)
    answers = iter(stored.bisections.get(number).answers[2:])
    searched = [{a.phase for a in islice(answers, len(points))} for points in rounds].count({"search"})
    assert all(len(set(points)) == len(points) <= 3 for points in rounds)
    assert max(map(len, rounds)) == 3
    assert searched <= 6 * 0.6
    assert sum(map(len, rounds)) + 2 == len(stored.bisections.get(number).answers)


@on_both
def test_when_the_machine_fails_one_of_three_the_same_hunt_goes_on_with_what_was_run(
    stored: Store, rounds: list[tuple[int, ...]]
) -> None:
    number, mended = begun(stored, LINE), threading.Event()

    def rule(point: int, boot: int) -> Said:
        if rounds and point == rounds[0][0] and not mended.is_set():
            raise InfraError("no GPU answers", hint="mend it")
        return breaking_at(40)(point, boot)

    machine = Machine(stored, "failing", rule)
    with pytest.raises(InfraError, match="no GPU answers"):
        hunt_on(machine, LINE, number, parallel=3).go()
    kept = stored.bisections.get(number).answers
    assert LINE.point(rounds[0][0]).name not in {a.point for a in kept}
    mended.set()
    _, end = hunt_on(machine, LINE, number, parallel=3).go()
    assert end.suspects
    assert end.suspects.changes == (40,)
    assert stored.bisections.get(number).answers[: len(kept)] == kept
    assert set(machine.completed.values()) == {1}
