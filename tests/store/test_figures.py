"""Intervals, the time left, and the state of a square, worked out on paper."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from matrix.core.counters import Counters
from matrix.core.state import Metric
from matrix.store.interval import accept_interval
from matrix.store.states import worst
from matrix.store.sweepviews import eta
from matrix.store.views import VerdictView

A, S, O = Metric.ACCEPT_LENGTH.value, Metric.SPEED.value, Metric.OUTPUT.value  # noqa: E741


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        ({A: "healthy", S: "healthy", O: "broken"}, "broken"),
        ({A: "collapsed", O: "wrong-output"}, "wrong-output"),
        ({A: "degraded", S: "slower"}, "degraded"),
        ({A: "healthy", S: "slower"}, "slower"),
        ({A: "suspicious-high", S: "slower"}, "slower"),
        ({A: "healthy", S: "unknown", O: "unknown"}, "healthy"),
        ({A: "not-applicable", S: "unknown", O: "healthy"}, "healthy"),
        ({A: "unknown", S: "unknown", O: "healthy"}, "unknown"),
        ({A: "unknown", O: "not-applicable"}, "unknown"),
        ({A: "not-applicable", S: "unknown"}, "unknown"),
        ({A: "not-applicable", S: "not-applicable"}, "not-applicable"),
        ({}, "unknown"),
    ],
)
def test_a_square_shows_the_worst_state(states: dict[str, str], shown: str) -> None:
    assert worst([VerdictView(metric, state, "") for metric, state in states.items()]).state == shown


def test_an_interval_is_around_the_pooled_value_and_needs_two_prompts() -> None:
    few, many = Counters(steps=10, accepted=20), Counters(steps=30, accepted=30)
    low, high = accept_interval([few, many] * 10, draftless=False)
    assert low is not None
    assert high is not None
    assert (low + high) / 2 == pytest.approx(1 + 50 / 40)
    assert accept_interval([few], draftless=False) == (None, None)
    assert accept_interval([], draftless=False) == (None, None)
    assert accept_interval([few, Counters(steps=10)], draftless=False) == (None, None)


def test_an_interval_does_not_reach_below_one() -> None:
    low, high = accept_interval([Counters(steps=10, accepted=0), Counters(steps=10, accepted=10)], draftless=False)
    assert low == 1.0
    assert high == pytest.approx(1.5 + 12.7062 * 0.5, abs=1e-3)


def test_the_time_left() -> None:
    def job(status: str, took: float | None = None, claimed_at: float | None = None, run_sweep: int = 1) -> Any:
        done = took is not None
        return SimpleNamespace(
            status=status,
            run_id="r" if done else None,
            started_at=0.0 if done else None,
            finished_at=took,
            claimed_at=claimed_at,
            sweep_id=1,
            run_sweep=run_sweep,
        )

    done = [job("done", 50.0), job("done", 70.0)]
    assert eta([job("queued")], 0.0) is None
    assert eta([job("done", 50.0, run_sweep=2), job("queued")], 0.0) is None
    assert eta(done, 0.0) == 0.0
    assert eta([*done, job("queued")], 0.0) == 60.0
    # 3 open of 60 s each, 20 s used: 160 s for one worker, 140 - 20 = 120 over two.
    assert eta([*done, job("claimed", claimed_at=80.0), job("queued"), job("queued")], 100.0) == 160.0
    two = [job("claimed", claimed_at=80.0), job("claimed", claimed_at=0.0), job("queued")]
    assert eta([*done, *two], 100.0) == (180 - 20 - 60) / 2
    assert not math.isnan(eta([*done, job("claimed", claimed_at=0.0)], 1e6) or 0.0)


def test_the_time_left_follows_the_plan_from_the_start() -> None:
    def job(status: str, **known: float | str) -> Any:
        empty = {"run_id": None, "started_at": None, "finished_at": None, "claimed_at": None}
        return SimpleNamespace(status=status, sweep_id=1, run_sweep=1, **empty | known)

    each = [100.0, 30.0, 30.0]
    first, rest = job("claimed", claimed_at=0.0), [job("queued"), job("queued")]
    assert eta([first, *rest], 40.0, each) == 120.0
    assert eta([first, *rest], 500.0, each) == 60.0
    done = job("done", run_id="r", started_at=0.0, finished_at=150.0)
    assert eta([done, *rest], 150.0, each) == 1.5 * 60
    assert eta([done, rest[0]], 150.0, each) == 1.5 * 60, "a repeat that is planned and not queued yet counts"
    assert eta([done, *rest, job("queued")], 150.0, each) == pytest.approx(1.5 * (60 + 160 / 3))
