"""Noise between boots: measured, pooled, and taken into account."""

import numpy as np
import pytest

from matrix.core.outcome import Outcome
from matrix.core.state import Metric, State
from matrix.stats.judge import RunPoint, judge_series, noise_of
from matrix.stats.noise import UNMEASURED, NoiseFloor, between_boots, pool, with_prior, without_prior
from tests.stats.build import RECORDED, ended, last, scaled, served

LENGTH = Metric.ACCEPT_LENGTH


def boots(revision: str, factors: list[float]) -> list[RunPoint]:
    return [served(revision, scaled(f), run_id=f"{revision}/{i}", boot=i) for i, f in enumerate(factors)]


def test_noise_is_that_of_the_boots_over_all_revisions() -> None:
    floor = noise_of([*boots("1", [0.98, 1.0, 1.02]), *boots("2", [0.79, 0.81]), served("3")])[LENGTH]
    logs = [np.log([0.98, 1.0, 1.02]), np.log([0.79, 0.81])]
    pooled = (2 * logs[0].var(ddof=1) + logs[1].var(ddof=1)) / 3
    assert floor.df == 3 and floor.variance == pytest.approx(pooled, rel=0.02)
    assert floor.within < 0.1 * floor.variance


def test_prompts_that_move_by_themselves_are_no_noise_of_the_boot() -> None:
    rng = np.random.default_rng(2)
    steps = np.full((500, 4, 64), 50.0) * np.exp(0.1 * rng.standard_normal((500, 4, 64)))
    variance, within = between_boots(np.full(steps.shape, 127.0), steps)
    assert variance.mean() == pytest.approx(0.1**2 / 64, rel=0.1)
    assert within.mean() == pytest.approx(variance.mean(), rel=0.1)


def test_boots_that_all_move_together_are() -> None:
    rng = np.random.default_rng(3)
    steps = np.full((500, 4, 64), 50.0) * np.exp(0.02 * rng.standard_normal((500, 4, 1)))
    variance, within = between_boots(np.full(steps.shape, 127.0), steps)
    assert variance.mean() == pytest.approx(0.02**2, rel=0.1) and within.max() < 1e-12


@pytest.mark.parametrize(
    "odd",
    [
        served("1", [1.0] * 16, boot=1),
        served("1", [4.0] * 16, boot=1),
        served("1", RECORDED[:4], boot=1),
        ended("1", Outcome.SERVE_CRASH, boot=1),
    ],
    ids=["collapsed", "at the ceiling", "too few prompts", "crashed"],
)
def test_boots_that_show_no_noise_are_passed_over(odd: RunPoint) -> None:
    assert noise_of([served("1"), odd])[LENGTH].df == 0


def test_pooling_weighs_by_degrees_of_freedom() -> None:
    assert pool([NoiseFloor(1.0, 0.5, 1), NoiseFloor(4.0, 0.0, 2)]) == NoiseFloor(3.0, 0.5 / 3, 3)
    assert pool([]) == pool([UNMEASURED]) == UNMEASURED


def test_the_assumed_noise_gives_way_to_the_measured() -> None:
    def floor(own: NoiseFloor, sibling: NoiseFloor = UNMEASURED) -> NoiseFloor:
        return with_prior(own, sibling, assumed=0.015, least_df=4, most_df=12)

    assert floor(UNMEASURED) == NoiseFloor(0.015**2, 0.0, 4, assumed=4)
    assert floor(NoiseFloor(0.0, 0.0, 1)) == NoiseFloor(0.75 * 0.015**2, 0.0, 4, assumed=3)
    assert floor(NoiseFloor(0.0, 0.0, 4)) == NoiseFloor(0.0, 0.0, 4)
    assert floor(UNMEASURED, NoiseFloor(1e-4, 0.0, 500)) == NoiseFloor(1e-4, 0.0, 12)


@pytest.mark.parametrize(
    "own", [UNMEASURED, NoiseFloor(4e-4, 1e-4, 2), NoiseFloor(0.0, 0.0, 3), NoiseFloor(1e-4, 0, 9)]
)
def test_what_was_measured_can_be_told_from_what_was_assumed(own: NoiseFloor) -> None:
    measured = without_prior(with_prior(own, UNMEASURED, assumed=0.015, least_df=4, most_df=12), 0.015)
    assert (measured.variance, measured.within) == pytest.approx((own.variance, own.within))
    assert (measured.df, measured.assumed) == (own.df, 0)


def test_the_same_fall_is_flagged_among_quiet_boots_and_not_among_noisy_ones() -> None:
    fallen = boots("2", [0.9])
    quiet = last([*boots("1", [1.0] * 5), *fallen])
    noisy = last([*boots("1", [0.95, 1.0, 1.05, 0.97, 1.03]), *fallen])
    assert quiet.state is State.DEGRADED
    assert noisy.state is State.UNKNOWN and dict(noisy.numbers)["ask"] == "boot"
    assert dict(noisy.numbers)["noise"] == pytest.approx(0.04, abs=0.01)


def test_the_noise_of_siblings_is_lent() -> None:
    points = [served("1"), served("2", scaled(0.93))]
    alone = judge_series(points).revisions[-1].verdict(LENGTH)
    helped = judge_series(points, siblings={LENGTH: NoiseFloor(0.0, 0.0, 8)}).revisions[-1].verdict(LENGTH)
    assert alone.state is State.UNKNOWN and dict(alone.numbers)["noise_df"] == 4
    assert helped.state is State.DEGRADED and dict(helped.numbers)["noise_df"] == 8


def test_the_number_of_boots_is_told_and_narrows_the_interval() -> None:
    one = dict(last([*boots("1", [0.99, 1.01]), *boots("2", [0.89, 0.91])]).numbers)
    more = dict(last([*boots("1", [0.99, 1.01] * 2), *boots("2", [0.89, 0.91] * 2)]).numbers)
    assert (one["boots_before"], one["boots_after"], more["boots_after"]) == (2, 2, 4)
    assert float(str(more["high"])) - float(str(more["low"])) < float(str(one["high"])) - float(str(one["low"]))
