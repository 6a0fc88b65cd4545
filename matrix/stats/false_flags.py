"""How often the judge calls a change where there is none: two boots of one revision, judged as if they were two."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scipy.special import betaincinv

from matrix.core.outcome import Tier
from matrix.core.state import Metric
from matrix.stats.floors import Floors
from matrix.stats.judge import JudgeSettings, RunPoint, judge_series

_METRICS = (Metric.ACCEPT_LENGTH, Metric.SPEED)


@dataclass(frozen=True, slots=True)
class FalseFlags:
    """`flags` of `comparisons` A/A pairs were called a fall. `upper` is the one-sided 95 % bound of the rate (Clopper
    and Pearson 1934); None without a comparison.
    """

    metric: Metric
    comparisons: int
    flags: int

    @property
    def rate(self) -> float | None:
        return self.flags / self.comparisons if self.comparisons else None

    @property
    def upper(self) -> float | None:
        if not self.comparisons:
            return None
        if self.flags == self.comparisons:
            return 1.0
        return float(betaincinv(self.flags + 1, self.comparisons - self.flags, 0.95))


def called(boots: Sequence[RunPoint], settings: JudgeSettings, lent: Floors) -> list[tuple[Metric, bool]]:
    """(metric, called a fall) for each pair of boots of one revision that the judge could compare.

    Each boot is in one pair, so that pairs are independent. `lent` must be the noise of other series alone: the boots'
    own noise would hide what is looked for.
    """
    served = [boot for boot in boots if boot.outcome.tier is Tier.OK]
    pairs = zip(served[::2], served[1::2], strict=False)
    return [found for first, second in pairs for found in _pair(first, second, settings, lent)]


def counted(found: Iterable[tuple[Metric, bool]]) -> list[FalseFlags]:
    """The rate of each metric."""
    rows = list(found)
    of = {metric: [fell for name, fell in rows if name is metric] for metric in _METRICS}
    return [FalseFlags(metric, len(falls), sum(falls)) for metric, falls in of.items()]


def _pair(first: RunPoint, second: RunPoint, settings: JudgeSettings, lent: Floors) -> list[tuple[Metric, bool]]:
    two = [replace(first, revision="1", boot=0), replace(second, revision="2", boot=0)]
    last = judge_series(two, settings, lent).revisions[-1]
    return [
        (metric, last.state(metric).bad) for metric in _METRICS if dict(last.verdict(metric).numbers).get("reference")
    ]
