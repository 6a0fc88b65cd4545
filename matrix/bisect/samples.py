"""What repeated runs of one command say: how many of them failed at a point, set against both ends.

A flaky command fails now and then at good points, and passes now and then at bad ones. How often is unknown and is
learnt from the ends: with Jeffreys' prior Beta(1/2, 1/2) and f of n runs failed, the chance that b of m further runs
fail is the beta-binomial C(m, b) B(f + b + 1/2, n - f + m - b + 1/2) / B(f + 1/2, n - f + 1/2) (Gelman et al., Bayesian
Data Analysis, section 2.4).
"""

from dataclasses import dataclass
from math import comb, lgamma

CHANCE = 0.05
"""Ends differ when runs of one and the same command would differ so much in at most this share of cases."""

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Count:
    """`failed` of `runs` runs of the command failed."""

    failed: int
    runs: int

    def __post_init__(self) -> None:
        if not 0 <= self.failed <= self.runs:
            raise ValueError(f"failed runs are a part of all runs: {self}")

    def __str__(self) -> str:
        return f"{self.failed} of {self.runs} runs failed"


def differ(good: Count, bad: Count) -> bool:
    """True when the bad end fails more often than the good end, beyond chance (Fisher's exact test, one-sided).

    All failing at one end and none at the other is a difference however few runs there are.
    """
    if not good.runs or not bad.runs:
        return False
    return (good.failed == 0 and bad.failed == bad.runs) or _fisher(good, bad) <= CHANCE


def log_ratio(point: Count, good: Count, bad: Count) -> float:
    """ln P(the point's runs | it is bad) / P(the point's runs | it is good), the error rates integrated out."""
    return _predicted(point, bad) - _predicted(point, good)


def _fisher(good: Count, bad: Count) -> float:
    """Chance that at least `bad.failed` of all failures fall on the bad end, when both fail equally often."""
    failed, most = good.failed + bad.failed, min(good.failed + bad.failed, bad.runs)
    ways = sum(comb(bad.runs, at) * comb(good.runs, failed - at) for at in range(bad.failed, most + 1))
    return ways / comb(good.runs + bad.runs, failed)


def _predicted(point: Count, end: Count) -> float:
    """Log of the beta-binomial without its binomial coefficient, which both sides share."""
    a, b = end.failed + _HALF, end.runs - end.failed + _HALF
    return _log_beta(a + point.failed, b + point.runs - point.failed) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
