"""How often the judge is wrong, by simulation with the noise that real releases show."""

import pytest
from scipy.stats import beta

from benchmarks.judge_power import NOISES, Noise, states
from matrix.core.state import State

HALF = NOISES[1:3]
SURE = 0.99


def at_most(hits: int, trials: int) -> float:
    """Upper 99 % bound of a rate (Clopper-Pearson)."""
    return float(beta.ppf(SURE, hits + 1, trials - hits))


@pytest.mark.parametrize("pairs", [16, 64])
@pytest.mark.parametrize("noise", HALF, ids=lambda n: n.name)
def test_text_that_parts_at_near_ties_is_hardly_ever_flagged(pairs: int, noise: Noise) -> None:
    trials = 1500
    assert at_most(states(trials, pairs, 0.0, noise)[State.DEGRADED], trials) < 0.01


@pytest.mark.parametrize(("pairs", "drop"), [(64, 0.10), (16, 0.25)])
@pytest.mark.parametrize("noise", HALF, ids=lambda n: n.name)
def test_a_real_fall_is_nearly_always_flagged(pairs: int, drop: float, noise: Noise) -> None:
    trials = 400
    missed = trials - states(trials, pairs, drop, noise)[State.DEGRADED]
    assert at_most(missed, trials) < 0.02


def test_an_uneven_fall_is_flagged_too() -> None:
    assert states(200, 64, 0.10, NOISES[1], uneven=True)[State.DEGRADED] >= 197


@pytest.mark.parametrize("pairs", [16, 64])
def test_without_noise_nothing_is_flagged_below_relevance_and_everything_above(pairs: int) -> None:
    assert states(200, pairs, 0.0, NOISES[0]) == {State.HEALTHY: 200}
    assert states(200, pairs, 0.05, NOISES[0])[State.DEGRADED] >= 199
