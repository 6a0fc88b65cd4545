"""Noise between boots: how far two boots of one revision lie apart, measured and pooled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """Variance of the logarithm of a boot's pooled value, measured on `df` degrees of freedom.

    `within` is the part of `variance` that the prompts explain, because each moved by itself from boot to boot.
    `assumed` of the degrees of freedom stand for a variance that was assumed (`with_prior`).
    """

    variance: float = 0.0
    within: float = 0.0
    df: float = 0.0
    assumed: float = 0.0

    @property
    def boot(self) -> float:
        """Variance that all prompts of a boot share; it does not fall with more prompts."""
        return max(self.variance - self.within, 0.0)


UNMEASURED = NoiseFloor()


@dataclass(frozen=True, slots=True)
class NoiseFloors:
    """A `NoiseFloor` for each of many comparisons, along their axes."""

    variance: Array
    within: Array
    df: Array

    @property
    def boot(self) -> Array:
        """As `NoiseFloor.boot`."""
        return np.maximum(self.variance - self.within, 0.0)


def many(floors: Sequence[NoiseFloor]) -> NoiseFloors:
    """These floors along one axis."""
    return NoiseFloors(*(np.array([getattr(floor, name) for floor in floors]) for name in NoiseFloors.__slots__))


def pool(floors: Iterable[NoiseFloor]) -> NoiseFloor:
    """Variances weighted by their degrees of freedom; `UNMEASURED` from nothing."""
    known = [floor for floor in floors if floor.df > 0]
    df = sum(floor.df for floor in known)
    if not df:
        return UNMEASURED
    return NoiseFloor(
        sum(floor.variance * floor.df for floor in known) / df, sum(floor.within * floor.df for floor in known) / df, df
    )


def capped(floor: NoiseFloor, most: float) -> NoiseFloor:
    """The same variance on at most `most` degrees of freedom, so that what is measured nearer by outweighs it."""
    return NoiseFloor(floor.variance, floor.within, min(floor.df, most))


def with_prior(own: NoiseFloor, sibling: NoiseFloor, *, assumed: float, least_df: float, most_df: float) -> NoiseFloor:
    """The floor of a series: its own boots, its siblings' up to `most_df`, and `assumed` (a standard deviation) for the
    degrees of freedom that are missing to `least_df`. Where enough is measured nothing is assumed.
    """
    measured = pool((own, capped(sibling, most_df)))
    missing = max(least_df - measured.df, 0.0)
    return replace(pool((measured, NoiseFloor(assumed**2, 0.0, missing))), assumed=missing)


def without_prior(floor: NoiseFloor, assumed: float) -> NoiseFloor:
    """What was measured of a floor that `with_prior` made; `UNMEASURED` where all of it is assumed."""
    df = floor.df - floor.assumed
    if not floor.assumed or df <= 0:
        return UNMEASURED if floor.assumed else floor
    variance = (floor.variance * floor.df - assumed**2 * floor.assumed) / df
    return NoiseFloor(max(variance, 0.0), floor.within * floor.df / df, df)


def between_boots(tokens: Array, steps: Array) -> tuple[Array, Array]:
    """(variance, within) of boots of one revision, from arrays (..., boots, prompts) of at least two boots.

    variance: of ln(sum tokens / sum steps) over boots. within: what the prompts' own movements add to it, from the
    leave-one-prompt-out values, each centred over the boots (jackknife).
    """
    value = np.log(tokens.sum(-1) / steps.sum(-1))
    without = leave_one_out(tokens, steps)
    without -= without.mean(-1, keepdims=True)
    without -= without.mean(-2, keepdims=True)
    prompts, boots = tokens.shape[-1], tokens.shape[-2]
    within = (prompts - 1) / prompts * (without**2).sum((-1, -2)) / (boots - 1)
    return value.var(-1, ddof=1), within


def leave_one_out(tokens: Array, steps: Array) -> Array:
    """ln(sum tokens / sum steps) over all prompts but one, for each prompt (last axis)."""
    result: Array = np.log((tokens.sum(-1, keepdims=True) - tokens) / (steps.sum(-1, keepdims=True) - steps))
    return result
