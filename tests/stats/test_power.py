"""How often the judge is wrong, by simulation with the counters of a real engine and the noise of boots."""

import numpy as np
import pytest
from scipy.stats import beta

from benchmarks.judge_data import Kind, Pairs, pairs, run
from benchmarks.judge_rule import Tally, tally
from matrix.core.state import Metric, State
from matrix.stats.answer import boots_wanted
from matrix.stats.control import control
from matrix.stats.judge import judge_series
from matrix.stats.settings import DEFAULTS, JudgeSettings

SURE = 0.99
SIBLINGS = 12
NOISES = [0.0, 0.01, 0.02]


def at_most(hits: int, trials: int) -> float:
    """Upper 99 % bound of a rate (Clopper-Pearson)."""
    return float(beta.ppf(SURE, hits + 1, trials - hits))


def tallied(trials: int, drop: float, noise: float, prompts: int = 64, **kind: bool) -> Tally:
    return tally(trials, prompts, drop, Kind(noise, **kind), SIBLINGS, DEFAULTS)


@pytest.mark.parametrize("noise", NOISES)
def test_two_revisions_without_a_change_are_hardly_ever_flagged(noise: float) -> None:
    none = tallied(6000, 0.0, noise)
    assert at_most(int(none.bad.sum()), 6000) < 0.003
    q = control(none.p.tolist())
    assert sum(bad and value <= DEFAULTS.false_discovery for bad, value in zip(none.bad, q, strict=True)) <= 4


@pytest.mark.parametrize(("drop", "caught"), [(0.05, 0.88), (0.10, 0.985), (1.0, 0.995)])
@pytest.mark.parametrize("noise", NOISES)
def test_a_real_fall_is_flagged(drop: float, caught: float, noise: float) -> None:
    assert at_most(int((~tallied(1000, drop, noise).bad).sum()), 1000) < 1 - caught + 0.02


@pytest.mark.parametrize("drop", [0.0, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("noise", NOISES)
def test_intervals_hold_the_true_change_in_95_of_100(drop: float, noise: float) -> None:
    """At the first look, and where the search for an answer ended: stopping then is no reason to trust less."""
    found = tallied(4000, drop, noise)
    assert 0.935 < found.first.mean() < 0.965
    assert 0.935 < found.last.mean() < 0.965


@pytest.mark.parametrize("drop", [0.0, 0.05, 0.1])
@pytest.mark.parametrize("noise", [0.0, 0.005, 0.01, 0.02])
def test_so_they_do_where_nothing_but_the_boots_bought_shows_the_noise(drop: float, noise: float) -> None:
    found = tally(3000, 64, drop, Kind(noise), 0, DEFAULTS)
    assert found.bought.mean() > 1
    assert 0.93 < found.last.mean() < 0.97


def test_prompts_that_move_at_every_boot_are_not_taken_for_noise_of_the_boot() -> None:
    assert 0.935 < tallied(4000, 0.0, 0.0, each_boot=True).last.mean() < 0.97


def test_more_noise_buys_more_boots_and_no_noise_none() -> None:
    bought = [tallied(1000, 0.0, noise).bought.mean() for noise in NOISES]
    assert bought[0] < 0.5 < bought[1] < bought[2]


@pytest.mark.parametrize("drop", [0.0, 0.07, 0.3])
def test_the_whole_judge_gives_the_answers_of_the_rule(drop: float) -> None:
    """The same comparisons through the arrays and through runs, verdicts and what they ask for."""
    trials, kind = 30, Kind(0.01)
    whole = [_final(made, DEFAULTS) for made in _one_by_one(trials, drop, kind)]
    rule = tally(trials, 64, drop, kind, 0, DEFAULTS)
    assert [state is State.DEGRADED for state, _ in whole] == rule.bad.tolist()
    assert [bought for _, bought in whole] == rule.bought.tolist()


def _one_by_one(trials: int, drop: float, kind: Kind) -> list[Pairs]:
    rng = np.random.default_rng([20260101, 64, round(drop * 1000), round(kind.noise * 10000), 0])
    made = pairs(rng, trials, 64, DEFAULTS.max_boots, drop, kind)
    return [Pairs(made.before[i], made.after[i]) for i in range(trials)]


def _final(made: Pairs, settings: JudgeSettings) -> tuple[State, int]:
    before, after = 1, 1
    while True:
        points = [run("1", b, made.before[b]) for b in range(before)]
        points += [run("2", b, made.after[b]) for b in range(after)]
        verdict = judge_series(points, settings).revisions[-1].verdict(Metric.ACCEPT_LENGTH)
        if dict(verdict.numbers)["ask"] != "boot":
            return verdict.state, before + after - 2
        before, after = boots_wanted(before, after, settings)
