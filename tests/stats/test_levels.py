"""The rule of long series, on arrays and as the judge applies it."""

import numpy as np
import pytest

from benchmarks.judge_peers import ours
from benchmarks.judge_replay import Judge, delays, ever_flagged
from benchmarks.judge_series import FIRST, POINTS, Kind, judged_falls, made, runs_of
from matrix.stats.levels import Levels, find_levels
from matrix.stats.settings import DEFAULTS

NOISE = 0.01


def levels(changes: list[float], boots: dict[int, int] | None = None, lift: dict[int, float] | None = None) -> Levels:
    """Twenty usual points and then these, each as far from the usual level."""
    values = np.append(NOISE * np.random.default_rng(4).standard_normal(20), np.log1p(changes))[None]
    many, higher = np.ones(values.shape), np.zeros(values.shape)
    for at, number in (boots or {}).items():
        many[0, at] = number
    for at, rise in (lift or {}).items():
        higher[0, at] = rise
    return find_levels(values, many, higher, np.array([NOISE**2]), np.array([12.0]), DEFAULTS)


def newest(found: Levels) -> tuple[bool, bool, bool]:
    return bool(found.fallen[0, -1]), bool(found.open[0, -1]), bool(found.asks[0, -1])


def test_one_low_boot_is_open_and_asks_for_another() -> None:
    assert newest(levels([-0.1])) == (False, True, True)


def test_a_second_low_boot_settles_it_and_asks_for_nothing() -> None:
    assert newest(levels([-0.1], {-1: 2}, {-1: 0.004})) == (True, False, False)


def test_a_second_boot_that_is_not_low_is_no_second_low_boot() -> None:
    """Their mean is low by five standard errors, for one of them is by fourteen."""
    fallen, _, _ = newest(levels([-0.1], {-1: 2}, {-1: 0.1}))
    assert not fallen


def test_the_next_low_revision_settles_it_from_the_first_on() -> None:
    found = levels([-0.1, -0.1])
    assert found.fallen[0].tolist() == [False] * 20 + [True] * 2
    assert (found.begins[0, -1], found.length[0, -1]) == (20, 2)


def test_a_usual_revision_asks_for_nothing() -> None:
    assert newest(levels([0.0])) == (False, False, False)


def test_one_high_point_at_the_beginning_keeps_no_other_out() -> None:
    values = np.append([0.06], NOISE / np.sqrt(8) * np.random.default_rng(2).standard_normal(40))[None]
    many = np.append([1.0], np.full(40, 8.0))[None]
    found = find_levels(values, many, np.zeros(values.shape), np.array([NOISE**2]), np.array([12.0]), DEFAULTS)
    assert not found.fallen[0, 20:].any()


def test_missing_points_and_constant_values_are_borne() -> None:
    values = np.array([[np.nan] * 15, [0.5] * 15, [0.5] * 14 + [np.nan]])
    shape = values.shape
    found = find_levels(values, np.ones(shape), np.zeros(shape), np.zeros(3), np.zeros(3), DEFAULTS)
    assert not found.fallen.any() and found.change.shape == shape


@pytest.mark.parametrize("kind", [Kind(0.01, 0.05), Kind(0.02, 0.1), Kind(0.02)])
def test_the_judge_dates_the_falls_that_the_arrays_show(kind: Kind) -> None:
    """What the benchmark times and counts is what decides in `matrix judge`."""
    series = made(kind, 6)
    runs = [runs_of(row) for row in series.values]
    pooled = np.array([[1 + _pooled(run.prompts.values()) for run in row] for row in runs])
    assert judged_falls(runs, series.noise) == ours(pooled, series.noise)


def _pooled(counters: object) -> float:
    rows = [(c.accepted, c.steps) for c in counters]  # type: ignore[attr-defined]
    return float(sum(a for a, _ in rows) / sum(s for _, s in rows))


def test_falls_are_flagged_at_once_where_boots_may_be_asked_for() -> None:
    kind = Kind(0.02, 0.1)
    series = made(kind, 30)
    waits, bought = delays(Judge(series, kind), series.places, 5, POINTS)
    assert np.median(waits) == 0 and 0 < bought.mean() < 4


@pytest.mark.parametrize("kind", [Kind(0.02), Kind(0.01, tails=4)])
def test_series_that_arrive_revision_by_revision_hardly_ever_show_a_fall_that_is_none(kind: Kind) -> None:
    ever, _ = ever_flagged(Judge(made(kind, 40), kind), 40, FIRST, POINTS)
    assert ever <= 2
