"""How far a search is: the changes that hold most of the probability, and how many runs are still to be expected."""

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from matrix.bisect.history import GOOD_END
from matrix.bisect.posterior import Floats, mean_rates
from matrix.bisect.search import Phase, State, decide

SHARE = 0.9
"""Probability that the stated range holds."""


class Span(NamedTuple):
    """Indices of changes, both included."""

    first: int
    last: int


def span(culprit: Floats, share: float = SHARE) -> Span:
    """The shortest run of neighbouring changes, in the history's order, that together hold `share` of the probability.

    `culprit` has the shape (n,) and sums to 1.
    """
    sums = np.concatenate([[0.0], np.cumsum(culprit)])
    # Rounding may leave the whole a little below 1.
    ends = np.searchsorted(sums, np.minimum(sums[:-1] + share, sums[-1]) - _ROUNDING)
    lengths = np.where(sums[np.minimum(ends, len(culprit))] - sums[:-1] >= share - 2 * _ROUNDING, ends, np.inf)
    lengths = lengths - np.arange(len(culprit))
    first = int(np.argmin(lengths))
    return Span(first, first + max(int(lengths[first]), 1) - 1)


_ROUNDING = 1e-9


def runs_left(state: State, culprit: Floats) -> int:
    """Runs that the answer is expected to need yet, 0 at the end.

    The ends that are missing; then the entropy of the posterior over what one run tells, 1 - H(error) bits at most
    (the capacity of a binary symmetric channel; Cover and Thomas, Elements of Information Theory, section 7.1.4); then
    both sides once more.
    """
    decision = decide(state)
    if not decision.points:
        return 0
    if decision.phase is Phase.VERIFY:
        return len(decision.points)
    missing = len({GOOD_END, len(state.history) - 1} - {a.point for a in state.answers})
    bits = float(entr(culprit).sum() / np.log(2))
    return missing + ceil(bits / _told_by_one(state)) + 2 * state.settings.verify


def _told_by_one(state: State) -> float:
    """Bits of one run at best, by the mean of both error rates; never taken for less than a tenth."""
    wrong = sum(mean_rates(state.rates, state.settings.selection)) / 2
    lost = float((entr(wrong) + entr(1 - wrong)) / np.log(2))
    return max(1 - lost, 0.1)
