"""Paired comparison: the same prompts on two revisions, prompts as the replication unit, boots as a random effect."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from matrix.stats.noise import Array, NoiseFloor, NoiseFloors, leave_one_out

Value = TypeVar("Value", float, Array)


@dataclass(frozen=True, slots=True)
class Comparison(Generic[Value]):
    """Relative change (a share) of the pooled value, its interval, one-sided p of fall and rise.

    `within` and `between` are the parts of the variance of the logarithm that come from prompts and from boots, `df`
    the degrees of freedom of their sum.
    """

    pairs: int
    change: Value
    low: Value
    high: Value
    p_fall: Value
    p_rise: Value
    mean: Value
    error: Value
    within: Value
    between: Value
    df: Value


@dataclass(frozen=True, slots=True)
class Sums:
    """Tokens and steps a prompt, summed over `boots` boots; the last axis is the prompts', in the same order as the
    other side's.
    """

    tokens: Array
    steps: Array
    boots: int = 1


def compare(before: Sums, after: Sums, floor: NoiseFloor, *, confidence: float, resolution: float) -> Comparison[float]:
    """The change from `before` to `after` over at least two prompts."""
    floors = NoiseFloors(np.array(floor.variance), np.array(floor.within), np.array(floor.df))
    found = compare_many(before, after, floors, confidence=confidence, resolution=resolution)
    return Comparison(
        pairs=found.pairs,
        change=float(found.change),
        low=float(found.low),
        high=float(found.high),
        p_fall=float(found.p_fall),
        p_rise=float(found.p_rise),
        mean=float(found.mean),
        error=float(found.error),
        within=float(found.within),
        between=float(found.between),
        df=float(found.df),
    )


def compare_many(
    before: Sums, after: Sums, floors: NoiseFloors, *, confidence: float, resolution: float
) -> Comparison[Array]:
    """`compare` along leading axes.

    D = ln(pooled after / pooled before), pooled being sum tokens / sum steps. Its variance is the jackknife's over the
    prompts (never below `resolution`^2 / pairs: counts are whole) plus the floor for each boot of both sides
    (1 / boots each). Degrees of freedom after `freedom`. Swapping the sides only turns the sign of D.
    """
    pairs = before.tokens.shape[-1]
    moved = leave_one_out(after.tokens, after.steps) - leave_one_out(before.tokens, before.steps)
    centred = moved - moved.mean(-1, keepdims=True)
    within = np.maximum((pairs - 1) / pairs * (centred**2).sum(-1), resolution**2 / pairs)
    shares = 1 / before.boots + 1 / after.boots
    between = floors.boot * shares
    mean = _pooled(after) - _pooled(before)
    error = np.sqrt(within + between)
    df = freedom(within, pairs, floors, shares)
    reach = stdtrit(df, (1 + confidence) / 2) * error
    return Comparison(
        pairs=pairs,
        change=np.expm1(mean),
        low=np.expm1(mean - reach),
        high=np.expm1(mean + reach),
        p_fall=stdtr(df, mean / error),
        p_rise=stdtr(df, -mean / error),
        mean=mean,
        error=error,
        within=within,
        between=between,
        df=df,
    )


def freedom(within: Array, pairs: int, floors: NoiseFloors, shares: float) -> Array:
    """Degrees of freedom of `within` + boot noise x `shares`, after Satterthwaite.

    What all prompts of a boot share is a difference, variance - within, never taken below zero. Its uncertainty is that
    of the variance as long as little is subtracted, and none where nothing is left: between the two stands the
    geometric mean.
    """
    between = floors.boot * shares
    unsure = between * floors.variance * shares / np.maximum(floors.df, 1e-9)
    result: Array = (within + between) ** 2 / (within**2 / (pairs - 1) + unsure)
    return result


def _pooled(side: Sums) -> NDArray[np.float64]:
    result: Array = np.log(side.tokens.sum(-1) / side.steps.sum(-1))
    return result
