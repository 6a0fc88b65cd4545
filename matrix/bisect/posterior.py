"""How probable each change is the culprit, given all answers.

The error rates are not known exactly, so they are integrated out: with a Beta(a, b) prior on a rate, w wrong and r
right judgements have the probability B(a + w, b + r) / B(a, b) (the Beta-Bernoulli marginal; Gelman et al., Bayesian
Data Analysis, section 2.4). Which answers would be wrong depends on the hypothesis: each change has counts of its own.

A judgement that carries a ratio r = P(measured | bad) / P(measured | good) may be wrong altogether, at the same rates:
it is worth (1 - w_g) r + w_g where the point is bad and (1 - w_b) + w_b r where it is good. Both are linear in a rate,
so the product of all is a polynomial in it, which Gauss-Jacobi quadrature integrates exactly over the Beta belief
(Abramowitz and Stegun, 25.4.33). A judgement that is only good or bad is the limit of a very small or very large ratio.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, roots_sh_jacobi

from matrix.bisect.answers import Answer, Rates, Said
from matrix.bisect.history import History, held_by, weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RatePrior:
    """Beta(a, b) belief about both error rates before any A/A run: mean a / (a + b)."""

    a: float
    b: float


STATED = RatePrior(1.5, 4.0)
"""What stated confidences rest on. Wide on purpose: of ten A/A runs with 20 % error all are right in one case of nine,
and a confidence must hold in those cases too (`python -m benchmarks bisection` shows it by bands).
"""

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
    told = [a for a in answers if a.said is not Said.SKIP]
    likelihood = _counted if all(a.ratio is None for a in told) else _measured
    return normalised(np.log(before) + likelihood(history, told, rates, belief))


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
    """Log-likelihood of the answers that are only good or bad; shape (n,)."""
    asked = np.zeros((2, len(history) + 1))
    for answer in answers:
        asked[int(answer.said is Said.BAD), answer.point + 1] += 1
    # Of the answers good and bad: how many were given by points that hold a change, and how many by the others.
    held = asked[:, 1:] @ weights(history)
    free = asked.sum(axis=1, keepdims=True) - held
    most = (len(answers) // _STEP + 1) * _STEP
    at_good = _log_beta(belief.a + rates.wrong_bad, belief.b + rates.good_runs - rates.wrong_bad, most)
    at_bad = _log_beta(belief.a + rates.wrong_good, belief.b + rates.bad_runs - rates.wrong_good, most)
    found = at_good[_whole(free[1]), _whole(free[0])] + at_bad[_whole(held[0]), _whole(held[1])]
    return np.asarray(found, dtype=np.float64)


_STEP = 32


def _whole(counts: Floats) -> NDArray[np.int64]:
    return np.rint(counts).astype(np.int64)


@lru_cache(maxsize=32)
def _log_beta(a: float, b: float, most: int) -> Floats:
    """Logarithms of B(a + wrong, b + right), for up to `most` wrong (rows) and right (columns) judgements."""
    steps = np.arange(most + 1)
    return np.asarray(betaln(a + steps[:, None], b + steps), dtype=np.float64)


def _measured(history: History, answers: Sequence[Answer], rates: Rates, belief: RatePrior) -> Floats:
    """Log-likelihood of answers of which some carry a ratio; shape (n,)."""
    # Sums of floats depend on their order; the same answers must give the same result to the last bit.
    answers = sorted(answers, key=lambda a: (a.point, _ratio(a)))
    held = np.array([held_by(history, a.point) for a in answers])
    ratios = np.array([_ratio(a) for a in answers])
    # In logarithms: what each answer says when the point is good and when it is bad, the larger of the two being 0.
    good, bad = -np.maximum(ratios, 0), np.minimum(ratios, 0)
    a, b, nodes = belief.a, belief.b, min(len(answers) // 2 + 1, _MOST_NODES)
    wrong_good = _nodes(a + rates.wrong_good, b + rates.bad_runs - rates.wrong_good, nodes)
    wrong_bad = _nodes(a + rates.wrong_bad, b + rates.good_runs - rates.wrong_bad, nodes)
    return _integral(held, bad, good, *wrong_good) + _integral(~held, good, bad, *wrong_bad)


def _ratio(answer: Answer) -> float:
    """The logarithm of the answer's ratio; where there is none, one so large that the error rates alone count."""
    if answer.ratio is not None:
        return answer.ratio
    return _SURE if answer.said is Said.BAD else -_SURE


_SURE = 200.0
_MOST_NODES = 64


@lru_cache(maxsize=256)
def _nodes(a: float, b: float, count: int) -> tuple[Floats, Floats]:
    """Error rates, and the logarithm of each one's weight, that stand for Beta(a, b); both of shape (count,)."""
    rates, shares = roots_sh_jacobi(count, a + b - 1, a)
    with np.errstate(divide="ignore"):
        return np.asarray(rates), np.log(shares / shares.sum())


def _integral(asked: NDArray[np.bool_], right: Floats, wrong: Floats, rates: Floats, shares: Floats) -> Floats:
    """Shape (n,): log of the mean, over the error rates, of the likelihood of the answers that `asked` marks.

    `asked` has the shape (answers, n), `right` and `wrong` (answers,): the logarithms of what an answer is worth when
    it is right and when it is wrong.
    """
    one = np.logaddexp(np.log1p(-rates)[:, None] + right, np.log(rates)[:, None] + wrong)
    return np.asarray(logsumexp(shares[:, None] + one @ asked, axis=0), dtype=np.float64)
