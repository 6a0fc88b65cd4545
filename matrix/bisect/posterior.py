"""How probable each change is the culprit, given all answers.

The error rates are not known exactly, so they are integrated out: with a Beta(a, b) prior on a rate, w wrong and r
right judgements have the probability B(a + w, b + r) / B(a, b) (the Beta-Bernoulli marginal; Gelman et al., Bayesian
Data Analysis, section 2.4). Which answers would be wrong depends on the hypothesis: each change has counts of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from matrix.bisect.answers import Answer, Rates, Said
from matrix.bisect.history import GOOD_END, History, held_by, weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RatePrior:
    """Beta(a, b) belief about both error rates before any A/A run: mean a / (a + b)."""

    a: float
    b: float


STATED = RatePrior(1.0, 4.0)
"""What stated confidences rest on. Wide on purpose: with ten A/A runs an error of 20 % may well stay unseen."""

SELECTION = RatePrior(0.1, 9.9)
"""What the choice of points rests on. Sharper: a needless doubt about old answers costs runs."""


def posterior(
    history: History, prior: Sequence[float], answers: Sequence[Answer], rates: Rates, belief: RatePrior
) -> Floats:
    """Shape (n,), sums to 1: the probability that the change of each point is the culprit.

    `prior` holds one positive weight a point. The order of the answers does not matter.
    """
    before = np.asarray(prior, dtype=np.float64)
    if before.shape != (len(history),) or not (np.isfinite(before).all() and (before > 0).all()):
        raise ValueError("the prior needs one positive weight for each point")
    log = np.log(before) + _counted(history, answers, rates, belief) + _measured(history, answers, rates, belief)
    return normalised(log)


def normalised(log: Floats) -> Floats:
    """Probabilities from unnormalised logarithms."""
    found: Floats = np.exp(log - log.max())
    found /= found.sum()
    return found


def mean_rates(rates: Rates, belief: RatePrior) -> tuple[float, float]:
    """Expected share of wrong bads at good points and of wrong goods at bad points."""
    total = belief.a + belief.b
    wrong_bad = (belief.a + rates.wrong_bad) / (total + rates.good_runs)
    wrong_good = (belief.a + rates.wrong_good) / (total + rates.bad_runs)
    return wrong_bad, wrong_good


def _counted(history: History, answers: Sequence[Answer], rates: Rates, belief: RatePrior) -> Floats:
    """Log-likelihood of the answers that are only good or bad."""
    right_bad, wrong_bad = _told_apart(history, [a.point for a in answers if a.said is Said.BAD and a.ratio is None])
    wrong_good, right_good = _told_apart(history, [a.point for a in answers if a.said is Said.GOOD and a.ratio is None])
    a, b = belief.a, belief.b
    at_good = betaln(a + rates.wrong_bad + wrong_bad, b + rates.good_runs - rates.wrong_bad + right_good)
    at_bad = betaln(a + rates.wrong_good + wrong_good, b + rates.bad_runs - rates.wrong_good + right_bad)
    return np.asarray(at_good + at_bad, dtype=np.float64)


def _told_apart(history: History, points: Sequence[int]) -> tuple[Floats, Floats]:
    """For each change, how many of `points` hold it and how many do not; both of shape (n,)."""
    runs = np.bincount([p for p in points if p != GOOD_END], minlength=len(history)).astype(np.float64)
    held = runs @ weights(history)
    return held, len(points) - held


def _measured(history: History, answers: Sequence[Answer], rates: Rates, belief: RatePrior) -> Floats:
    """Log-likelihood of the answers that carry a ratio, each of which may be wrong altogether at the error rates."""
    total = np.zeros(len(history))
    wrong_bad, wrong_good = mean_rates(rates, belief)
    for answer in answers:
        if answer.said is Said.SKIP or answer.ratio is None:
            continue
        if_bad = np.logaddexp(np.log1p(-wrong_good) + answer.ratio, np.log(wrong_good))
        if_good = np.logaddexp(np.log1p(-wrong_bad), np.log(wrong_bad) + answer.ratio)
        total += np.where(held_by(history, answer.point), if_bad, if_good)
    return total
