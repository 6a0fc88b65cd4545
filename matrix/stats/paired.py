"""Paired comparison: the same prompts on two revisions, the prompt as the replication unit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.special import stdtr, stdtrit


@dataclass(frozen=True, slots=True)
class Comparison:
    """Relative change (a share) of the geometric mean over the pairs, its interval, one-sided p of fall and rise."""

    pairs: int
    change: float
    low: float
    high: float
    p_fall: float
    p_rise: float


def compare(pairs: Sequence[tuple[float, float]], *, confidence: float, resolution: float) -> Comparison:
    """Student's t on the log ratios after / before of at least two pairs of positive values.

    Logs make the comparison symmetric: swapping the sides changes only the sign. The standard deviation is taken to be
    at least `resolution`, so that a few prompts that moved by the same amount prove no more than counting allows.
    """
    ratios = [math.log(after / before) for before, after in pairs]
    n, mean = len(ratios), fmean(ratios)
    spread = math.sqrt(math.fsum((ratio - mean) ** 2 for ratio in ratios) / (n - 1))
    error = max(spread, resolution) / math.sqrt(n)
    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * error
    return Comparison(
        pairs=n,
        change=math.expm1(mean),
        low=math.expm1(mean - reach),
        high=math.expm1(mean + reach),
        p_fall=float(stdtr(n - 1, mean / error)),
        p_rise=float(stdtr(n - 1, -mean / error)),
    )
