"""Change points of many series at once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from matrix.stats.steps import PENALTY, find_steps, series_noise

NOISE = 0.01


def noisy(level: list[float], seed: int = 1) -> np.ndarray:
    return np.array(level) + NOISE * np.random.default_rng(seed).standard_normal(len(level))


def starts(values: np.ndarray, noise: float = NOISE) -> list[int]:
    found = find_steps(values[None], np.full((1, len(values)), noise**2))
    return np.flatnonzero(found.starts[0]).tolist()


def test_a_step_is_found_where_it_is_with_both_levels() -> None:
    values = noisy([1.0] * 20 + [0.9] * 20)
    found = find_steps(values[None], np.full((1, 40), NOISE**2))
    assert starts(values) == [20]
    assert found.levels[0, 0] == pytest.approx(1.0, abs=0.01) and found.levels[0, -1] == pytest.approx(0.9, abs=0.01)


def test_two_steps_there_and_back() -> None:
    assert starts(noisy([1.0] * 10 + [0.9] * 4 + [1.0] * 10)) == [10, 14]


@pytest.mark.parametrize("place", [0, 1, 7, 18, 19])
def test_one_spike_is_no_step_and_is_named(place: int) -> None:
    values = noisy([1.0] * 20)
    values[place] -= 0.2
    found = find_steps(values[None], np.full((1, 20), NOISE**2))
    assert not found.starts.any()
    assert np.flatnonzero(found.spikes[0]).tolist() == [place]


def test_two_low_points_at_the_end_are_a_step() -> None:
    assert starts(noisy([1.0] * 20 + [0.9] * 2)) == [20]


def test_points_with_more_noise_count_less() -> None:
    values = np.array([1.0] * 10 + [0.9] * 10)
    loud = np.where(np.arange(20) < 10, 0.01, 0.5) ** 2
    assert find_steps(values[None], np.full((1, 20), 0.01**2)).starts.any()
    assert not find_steps(values[None], loud[None]).starts.any()


def test_missing_points_are_passed_over() -> None:
    values = noisy([1.0] * 20 + [0.9] * 20)
    values[[3, 19, 20, 30]] = np.nan
    (at,) = starts(values)
    assert 19 <= at <= 21


def test_rows_do_not_disturb_each_other() -> None:
    rows = np.stack([noisy([1.0] * 30, 1), noisy([1.0] * 9 + [0.8] * 21, 2), noisy([1.0] * 30, 3)])
    found = find_steps(rows, np.full(rows.shape, NOISE**2))
    assert [np.flatnonzero(row).tolist() for row in found.starts] == [[], [9], []]


def test_quiet_series_hardly_ever_show_a_step() -> None:
    rows = np.random.default_rng(5).standard_normal((3000, 60))
    assert find_steps(rows, np.ones(rows.shape)).starts.any(1).sum() <= 3


@given(arrays.arrays(np.float64, st.integers(2, 9), elements=st.floats(-20, 20)))
@settings(max_examples=60, deadline=None)
def test_no_other_partition_is_cheaper(values: np.ndarray) -> None:
    found = find_steps(values[None], np.full((1, len(values)), 1.0))
    kept = np.flatnonzero(~found.spikes[0])
    here = _cost(values, kept, np.flatnonzero(found.starts[0]).tolist())
    assert here <= min(_cost(values, kept, cut) for cut in _partitions(len(values))) + 1e-6


@given(arrays.arrays(np.float64, (2, 8), elements=st.just(float("nan")) | st.floats(-1e6, 1e6)))
@settings(max_examples=60, deadline=None)
def test_any_values_give_segments(values: np.ndarray) -> None:
    found = find_steps(values, np.maximum(series_noise(values), 1e-6)[:, None] * np.ones((1, 8)))
    again = find_steps(values, np.maximum(series_noise(values), 1e-6)[:, None] * np.ones((1, 8)))
    assert found.starts.shape == values.shape and (found.starts == again.starts).all()


def test_noise_of_a_series_ignores_its_steps() -> None:
    values = np.random.default_rng(3).standard_normal((200, 100)) * 0.02
    steps = np.where(np.arange(100) < 50, 0.0, 1.0)
    assert np.sqrt(series_noise(values + steps)).mean() == pytest.approx(0.02, rel=0.05)
    assert series_noise(np.array([[1.0, np.nan, 2.0], [np.nan] * 3])).tolist() == [0.0, 0.0]


def _partitions(points: int) -> list[list[int]]:
    """Every set of starts whose segments are at least two points long."""
    found: list[list[int]] = [[]]
    for start in range(2, points - 1):
        found += [[*cut, start] for cut in found if start - (cut[-1] if cut else 0) >= 2]
    return found


def _cost(values: np.ndarray, kept: np.ndarray, cut: list[int]) -> float:
    edges = [0, *cut, len(values)]
    parts = [values[kept[(kept >= a) & (kept < b)]] for a, b in pairwise(edges)]
    return sum(float(((part - part.mean()) ** 2).sum()) for part in parts if len(part)) + PENALTY * len(cut)
