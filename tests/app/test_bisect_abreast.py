"""Points that run at the same time: their answers come as they are there, and none is left running."""

import threading
from typing import Any

import pytest

from matrix.app.bisect.abreast import at_once

PATIENCE_S = 60


def test_all_run_at_the_same_time_and_come_as_they_end() -> None:
    met = threading.Barrier(3, timeout=PATIENCE_S)
    last = threading.Event()

    def run(point: int) -> Any:
        met.wait()
        if point == 1:
            assert last.wait(PATIENCE_S)
        return f"run of {point}"

    found = []
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
