"""What is built ahead: both points that may come next, one build at a time, no failure of it an answer."""

import threading
from dataclasses import replace
from pathlib import Path

from matrix.app.bisect.ahead import Ahead, likely_next
from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END, linear
from matrix.bisect.search import begin, decide
from matrix.core.errors import BuildError

ENDS = (Answer(GOOD_END, Said.GOOD), Answer(15, Said.BAD))


def test_the_next_point_is_among_those_prepared_whatever_is_answered() -> None:
    state = begin(linear([str(i) for i in range(16)])).told(ENDS)
    for truth in range(16):
        now = state
        for _ in range(6):
            asked = decide(now).points
            if not asked:
                break
            prepared = likely_next(now, asked)
            assert len(prepared) <= 2
            now = now.told([Answer(asked[0], Said.BAD if asked[0] >= truth else Said.GOOD)])
            assert set(decide(now).points) - set(asked) <= set(prepared)


def test_points_under_way_are_not_prepared() -> None:
    state = begin(linear([str(i) for i in range(16)])).told(ENDS)
    state = replace(state, settings=replace(state.settings, parallel=3))
    asked = decide(state).points
    assert len(asked) == 3
    assert not set(asked) & set(likely_next(state, asked))


def test_a_build_under_way_is_interrupted_and_no_further_one_begins(tmp_path: Path) -> None:
    begun, cleaned = threading.Event(), threading.Event()
    asked: list[int] = []

    def build(point: int, log: Path) -> None:
        asked.append(point)
        begun.set()
        try:
            while True:
                threading.Event().wait(0.01)
        finally:
            cleaned.set()

    ahead = Ahead(build, tmp_path / "log")
    ahead.prepare((3, 4))
    assert begun.wait(60)
    ahead.prepare((5,))
    ahead.close()
    assert cleaned.is_set()
    assert asked == [3]


def test_what_cannot_be_built_is_left_to_the_search(tmp_path: Path) -> None:
    def build(point: int, log: Path) -> None:
        if point == 3:
            raise BuildError("no wheel")
        done.set()

    done = threading.Event()
    ahead = Ahead(build, tmp_path / "log")
    ahead.prepare((3, 4))
    assert done.wait(60)
    ahead.close()
    assert ahead.failed == [3]
