"""False-discovery control over a family of comparisons, and what it does to a judgement."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from matrix.core.outcome import Outcome
from matrix.core.state import Metric, State
from matrix.stats.control import comparisons, control, settled
from matrix.stats.judge import judge_series
from tests.stats.build import ended, scaled, served

FALL = ("2", Metric.ACCEPT_LENGTH)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
@settings(deadline=None)
def test_q_values_are_those_of_benjamini_and_hochberg(p_values: list[float]) -> None:
    assert control(p_values) == pytest.approx(false_discovery_control(p_values).tolist())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
@settings(deadline=None)
def test_q_is_never_below_p_and_keeps_the_order(p_values: list[float]) -> None:
    q_values = control(p_values)
    assert all(q >= p * (1 - 1e-12) for p, q in zip(p_values, q_values, strict=True))
    in_order = [q for _, q in sorted(zip(p_values, q_values, strict=True))]
    assert in_order == sorted(in_order)


def test_no_comparison_and_nonsense() -> None:
    assert control([]) == ()
    assert control([0.01, float("nan"), -1.0, 2.0])[1:] == (1.0, 1.0, 1.0)


def test_a_thousand_quiet_comparisons_leave_hardly_a_flag() -> None:
    p_values = np.random.default_rng(1).uniform(size=(50, 1000))
    assert sum(min(control(row.tolist())) <= 0.05 for row in p_values) <= 8


def test_comparisons_are_those_with_a_p() -> None:
    judgement = judge_series([served("1"), served("2", scaled(0.6)), ended("3", Outcome.INFRA), served("4")])
    assert list(comparisons(judgement)) == [("2", Metric.ACCEPT_LENGTH), ("4", Metric.ACCEPT_LENGTH)]


def test_a_fall_that_stands_carries_its_q() -> None:
    judgement = settled(judge_series([served("1"), served("2", scaled(0.6))]), {FALL: 1e-6})
    told = judgement.revisions[1].verdict(Metric.ACCEPT_LENGTH)
    assert told.state is State.DEGRADED and dict(told.numbers)["q"] == 1e-6
    assert len(judgement.flips) == 1


def test_a_fall_that_chance_explains_among_so_many_is_unknown_and_flips_nothing() -> None:
    judgement = settled(judge_series([served("1"), served("2", scaled(0.6))]), {FALL: 0.2})
    told = judgement.revisions[1].verdict(Metric.ACCEPT_LENGTH)
    assert told.state is State.UNKNOWN and "q = 0.2" in told.reason
    assert judgement.flips == ()


def test_a_collapse_rests_on_no_comparison() -> None:
    judgement = judge_series([served("1"), served("2", [1.0] * 16)])
    assert comparisons(judgement) == {}
    assert settled(judgement, {FALL: 1.0}) == judgement
