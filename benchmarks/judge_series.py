"""The whole judge on series of runs, one boot a revision, and the boots that it asks for where the newest is open."""

import numpy as np

from benchmarks.judge_data import TOKENS, Floats, measured_lengths, run
from matrix.core.state import Change, Metric, State
from matrix.stats.answer import BOOT, boots_wanted
from matrix.stats.judge import RunPoint, judge_series
from matrix.stats.noise import NoiseFloor
from matrix.stats.settings import DEFAULTS

SIBLINGS = 12
_LENGTHS = measured_lengths()
_MEAN = len(_LENGTHS) / float((1 / _LENGTHS).sum())


def runs_of(values: Floats) -> list[RunPoint]:
    """One run a revision, of sixteen prompts that all move together, with these pooled accept lengths."""
    return [boot_of(i, 0, float(value)) for i, value in enumerate(values)]


def boot_of(revision: int, boot: int, value: float) -> RunPoint:
    return run(f"{revision:03}", boot, np.rint(TOKENS / (_LENGTHS * value / _MEAN)))


def falls(values: Floats, noise: Floats) -> list[list[int]]:
    """For each series where the judge dates a regression."""
    found = (judge_series(runs_of(row), siblings=_floor(n)).flips for row, n in zip(values, noise, strict=True))
    return [[int(flip.after_revision) for flip in flips if flip.change is Change.REGRESSION] for flips in found]


def bought_until(
    values: Floats, noise: float, place: int, draw: tuple[float, np.random.Generator], latest: int
) -> tuple[int, int]:
    """(revisions after `place` until it is bad, at most `latest`; boots bought meanwhile).

    Revisions arrive one by one; what the judge asks for is drawn with the standard deviation `draw[0]` around the
    revision's own level, which the rest of `values` tells.
    """
    points, bought = runs_of(values[:place]), 0
    for seen in range(latest):
        at = place + seen
        points.append(boot_of(at, 0, float(values[at])))
        state, more = _settled(points, at, float(np.exp(np.log(values[place:]).mean())), draw, noise)
        points += more
        bought += len(more)
        if state.bad:
            return seen, bought
    return latest, bought


def _settled(
    points: list[RunPoint], at: int, level: float, draw: tuple[float, np.random.Generator], noise: float
) -> tuple[State, list[RunPoint]]:
    more: list[RunPoint] = []
    while True:
        judged = judge_series([*points, *more], siblings=_floor(noise)).revisions[-1]
        told = judged.verdict(Metric.ACCEPT_LENGTH)
        numbers = dict(told.numbers)
        wanted = boots_wanted(len(points), 1 + len(more), DEFAULTS)[1]
        if told.state.bad or numbers.get("ask") != BOOT or wanted == 1 + len(more):
            return told.state, more
        sd, rng = draw
        more += [
            boot_of(at, boot, level * float(np.exp(sd * rng.standard_normal())))
            for boot in range(1 + len(more), wanted)
        ]


def _floor(variance: float) -> dict[Metric, NoiseFloor]:
    return {Metric.ACCEPT_LENGTH: NoiseFloor(float(variance), 0.0, SIBLINGS)}
