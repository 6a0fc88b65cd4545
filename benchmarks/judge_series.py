"""Series of pooled accept lengths as the benchmark and its peers see them, and the same as runs of sixteen prompts."""

from dataclasses import dataclass

import numpy as np

from benchmarks.judge_data import TOKENS, Floats, measured_lengths, run
from matrix.core.state import Change, Metric
from matrix.stats.judge import RunPoint, judge_series
from matrix.stats.noise import NoiseFloor
from matrix.stats.settings import DEFAULTS

POINTS, SEED, LEVEL, SIBLINGS = 100, 20260102, 2.55, 12
FIRST, LAST = DEFAULTS.long, POINTS - POINTS // 10
"""Where a fall may begin: once the series is long, and not in the last tenth."""
_LENGTHS = measured_lengths()
_MEAN = len(_LENGTHS) / float((1 / _LENGTHS).sum())


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of series. `noise` is the standard deviation of a boot's logarithm; its distribution is normal, or where
    `tails` is set Student's t with so many degrees of freedom. `fall` and `spike` are shares, of all revisions from one
    place on and of that revision's one boot alone; `drift` is the standard deviation of what each revision leaves.
    """

    noise: float
    fall: float = 0.0
    spike: float = 0.0
    tails: int = 0
    drift: float = 0.0

    def name(self) -> str:
        """In words."""
        parts = [f"fall of {share(self.fall)}" if self.fall else "no fall", f"noise {share(self.noise)}"]
        parts += ["heavy tails"] if self.tails else []
        parts += [f"drift {share(self.drift)}"] if self.drift else []
        return ", ".join(parts + ([f"one spike of {share(self.spike)}"] if self.spike else []))

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Logarithms of boots around their revision's level."""
        if not self.tails:
            return self.noise * rng.standard_normal(shape)
        scaled: Floats = self.noise * np.sqrt((self.tails - 2) / self.tails) * rng.standard_t(self.tails, shape)
        return scaled


@dataclass(frozen=True, slots=True)
class Series:
    """`values` (series, points), one boot each; the logarithm of each revision's `level`; the variance of a boot that
    sibling series showed (`noise`); the `places` where the fall or spike lies.
    """

    values: Floats
    level: Floats
    noise: Floats
    places: list[int]


def share(value: float) -> str:
    """0.05 as `5 %`."""
    return f"{100 * value:g} %"


def made(kind: Kind, count: int) -> Series:
    """`count` series of this kind. Seeded."""
    rng = np.random.default_rng([SEED, count, *(round(1e4 * x) for x in (kind.noise, kind.fall, kind.spike))])
    places = np.random.default_rng([SEED, count]).integers(FIRST, LAST, count)
    at = np.arange(POINTS)
    level = np.log(LEVEL * np.where(at >= places[:, None], 1 - kind.fall, 1.0))
    level += np.cumsum(kind.drift * rng.standard_normal((count, POINTS)), axis=1)
    spiked = np.where(at == places[:, None], 1 - kind.spike, 1.0)
    values = spiked * np.exp(level + kind.draw(rng, (count, POINTS)))
    noise = kind.noise**2 * rng.chisquare(SIBLINGS, count) / SIBLINGS
    return Series(values, level, noise, places.tolist())


def runs_of(values: Floats) -> list[RunPoint]:
    """One run a revision, of sixteen prompts that all move together, with these pooled accept lengths."""
    return [run(f"{i:03}", 0, np.rint(TOKENS / (_LENGTHS * value / _MEAN))) for i, value in enumerate(values)]


def judged_falls(runs: list[list[RunPoint]], noise: Floats) -> list[list[int]]:
    """For each series where the judge dates a regression."""
    found = (judge_series(row, siblings=_floor(n)).flips for row, n in zip(runs, noise, strict=True))
    return [[int(flip.after_revision) for flip in flips if flip.change is Change.REGRESSION] for flips in found]


def _floor(variance: float) -> dict[Metric, NoiseFloor]:
    return {Metric.ACCEPT_LENGTH: NoiseFloor(float(variance), 0.0, SIBLINGS)}
