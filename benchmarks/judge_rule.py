"""The adaptive rule on many simulated comparisons at once, by the judge's own functions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge_data import TOKENS, Floats, Kind, pairs
from matrix.stats.answer import answers, boots_wanted
from matrix.stats.looks import intervals
from matrix.stats.noise import NoiseFloor, between_boots, many, pool, with_prior, without_prior
from matrix.stats.paired import Comparison, Sums, compare_many
from matrix.stats.settings import JudgeSettings

SEED, CHUNK, MOVED = 20260101, 2000, 2000


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of each trial. `bought`: boots beyond one a side. `first` and `last`: whether the stated interval
    held the true change at the first and at the last look; `p`: one-sided p of a fall at the last.
    """

    bad: NDArray[np.bool_]
    good: NDArray[np.bool_]
    bought: NDArray[np.int64]
    first: NDArray[np.bool_]
    last: NDArray[np.bool_]
    p: Floats


def tally(trials: int, prompts: int, drop: float, kind: Kind, sibling_df: int, settings: JudgeSettings) -> Tally:
    """`trials` comparisons, each bought boots until its answer is good or bad or the cap is reached. Sibling series
    have measured the noise on `sibling_df` degrees of freedom. Seeded.
    """
    rng = np.random.default_rng([SEED, prompts, round(drop * 1000), round(kind.noise * 10000), sibling_df])
    sizes = [min(CHUNK, trials - start) for start in range(0, trials, CHUNK)]
    parts = [_chunk(rng, size, prompts, drop, kind, sibling_df, settings) for size in sizes]
    return Tally(*(np.concatenate([getattr(part, name) for part in parts]) for name in Tally.__slots__))


def _chunk(
    rng: np.random.Generator,
    trials: int,
    prompts: int,
    drop: float,
    kind: Kind,
    sibling_df: int,
    settings: JudgeSettings,
) -> Tally:
    made = pairs(rng, trials, prompts, settings.max_boots, drop, kind)
    siblings = _siblings(rng, trials, prompts, kind, sibling_df)
    found = Tally(
        *(np.zeros(trials, kind) for kind in (bool, bool, np.int64, bool, bool, np.float64)),
    )
    left, boots = np.arange(trials), 1
    while len(left):
        compared, bad, good = _look(made.before[left, :boots], made.after[left, :boots], siblings[left], settings)
        found.bad[left], found.good[left], found.p[left] = bad, good, compared.p_fall
        found.bought[left] = 2 * (boots - 1)
        found.last[left] = (compared.low <= -drop) & (compared.high >= -drop)
        if boots == 1:
            found.first[:] = found.last
        if boots == settings.max_boots:
            break
        left, boots = left[~(bad | good)], boots_wanted(boots, boots, settings)[1]
    return found


def _look(
    before: Floats, after: Floats, siblings: NDArray[np.object_], settings: JudgeSettings
) -> tuple[Comparison[Floats], NDArray[np.bool_], NDArray[np.bool_]]:
    boots, prompts = before.shape[1:]
    tokens, known = np.full((len(before), prompts), float(TOKENS * boots)), _floors(before, after, siblings, settings)
    floors = many(known)
    compared = compare_many(
        Sums(tokens, before.sum(1), boots),
        Sums(tokens, after.sum(1), boots),
        floors,
        confidence=settings.confidence,
        resolution=settings.resolution,
    )
    bad, good = answers(compared, boots, settings, relevant=settings.relevant, caught=settings.caught)
    if boots > 1:
        measured = many([without_prior(floor, settings.assumed_noise) for floor in known])
        low, high = intervals(compared.mean, compared.within, prompts, (boots, boots), measured, settings)
        compared = replace(compared, low=low, high=high)
    return compared, bad, good


def _floors(before: Floats, after: Floats, siblings: NDArray[np.object_], settings: JudgeSettings) -> list[NoiseFloor]:
    return [
        with_prior(
            own, sibling, assumed=settings.assumed_noise, least_df=settings.least_df, most_df=settings.sibling_df
        )
        for own, sibling in zip(_own(before, after), siblings, strict=True)
    ]


def _own(before: Floats, after: Floats) -> Sequence[NoiseFloor]:
    boots = before.shape[1]
    if boots < 2:
        return [NoiseFloor()] * len(before)
    sides = [between_boots(np.full(side.shape, float(TOKENS)), side) for side in (before, after)]
    return [pool(NoiseFloor(float(v[i]), float(w[i]), boots - 1) for v, w in sides) for i in range(len(before))]


def _siblings(rng: np.random.Generator, trials: int, prompts: int, kind: Kind, df: int) -> NDArray[np.object_]:
    """What boots of sibling series showed: the noise of a boot, and what prompts whose texts part add to it."""
    within = _moved(prompts) if kind.each_boot else 0.0
    floors = np.empty(trials, object)
    for i in range(trials):
        variance = (kind.noise**2 + within) * rng.chisquare(df) / df if df else 0.0
        floors[i] = NoiseFloor(variance, within, df) if df else NoiseFloor()
    return floors


@cache
def _moved(prompts: int) -> float:
    """Variance of a boot's pooled value where half of its texts part from boot to boot and nothing else differs."""
    made = pairs(np.random.default_rng(SEED), MOVED, prompts, 2, 0.0, Kind(0.0, each_boot=True))
    variance, _ = between_boots(np.full(made.before.shape, float(TOKENS)), made.before)
    return float(variance.mean())
