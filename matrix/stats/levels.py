"""Where each revision of long series lies: on the series' level, below it, or low on too little to say so.

This alone decides the states of comparable revisions in a long series (`matrix.stats.long`), one series at a time; the
work is on whole arrays, so that thousands are done at once as well.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from matrix.stats.answer import levels_of
from matrix.stats.noise import Array
from matrix.stats.settings import JudgeSettings
from matrix.stats.steps import PENALTY, SPIKE, find_steps, series_noise

Flags = NDArray[np.bool_]
_BOOTS = 2
"""Boots from which a low revision is believed although its neighbours are not low."""
_LAST = 24
"""Points that had not fallen, against whose mean the next is set: many, so that their own noise hardly counts."""
_FEW = 4
_DF_A_POINT = 1 / 3
"""Degrees of freedom that a point adds to the noise of a series, which is a median of neighbouring differences."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Arrays in the shape of the values.

    `change` is the logarithm of a point's segment over the highest segment up to it; `begins` and `length` are those of
    the segment. `stepped`: the point lies on a segment that is relevantly low; `fallen`: so it does, or it is low by
    itself on boots enough. `open`: it is low and neither. `asks`: another boot would tell whether it has fallen.
    """

    change: Array
    begins: NDArray[np.intp]
    length: NDArray[np.intp]
    stepped: Flags
    fallen: Flags
    open: Flags
    asks: Flags


@dataclass(frozen=True, slots=True)
class _Alone:
    """Each point set against the last points that had not fallen: the logarithm of the change, its standard error, and
    whether the change is a relevant and `significant` fall, or even a `clear` one, as many errors deep as a step.
    """

    change: Array
    error: Array
    significant: Flags
    clear: Flags


def find_levels(values: Array, boots: Array, lift: Array, noise: Array, df: Array, settings: JudgeSettings) -> Levels:
    """Levels of series: `values` are logarithms of accept lengths (series, points), NaN where there is none, of `boots`
    boots each, which without their lowest would lie higher by `lift`; `noise` is the variance of one boot of each
    series, measured on `df` degrees of freedom.

    A point has fallen where it lies on a segment (`find_steps`) that is relevantly below an earlier one, or, with two
    boots or more, where by itself it is as many standard errors below the last points that had not fallen, and
    significantly low even without its lowest boot, which may be an accident.
    """
    shown = series_noise(values)
    beyond, variances = _variances(shown, _points(values), boots, noise, df, settings)
    values, lift = _without_accidents(values, boots, lift, np.maximum(noise, shown))
    steps = find_steps(values, variances)
    freedom = df + _points(values)
    alone = _alone(values, variances, boots, lift, freedom, settings)
    change = steps.levels - np.fmax.accumulate(steps.levels, axis=1)
    least = math.log1p(-settings.relevant)
    near = values - SPIKE * np.sqrt(variances) <= steps.levels
    with np.errstate(invalid="ignore"):
        stepped = (change <= least) & ~steps.spikes & near
        low = (alone.change <= least) & (steps.spikes | alone.significant)
        caught = stdtr(freedom[:, None], (math.log1p(-settings.caught) - alone.change) / alone.error)
        unsure = (boots < settings.max_boots) & ~(caught < settings.sure)
    fallen = stepped | (alone.clear & (boots >= _BOOTS))
    asks = unsure & ~fallen & ((boots < _BOOTS) | (noise[:, None] / boots >= beyond[:, None]))
    begins, length = _segments(steps.starts)
    return Levels(np.nan_to_num(change), begins, length, stepped, fallen, low & ~fallen, asks)


def _points(values: Array) -> Array:
    """Degrees of freedom of the noise that each series shows from point to point."""
    result: Array = _DF_A_POINT * np.isfinite(values).sum(1)
    return result


def _without_accidents(values: Array, boots: Array, lift: Array, noise: Array) -> tuple[Array, Array]:
    """(values, lift) once a lowest boot is set aside that leaves the others as far as a point that is a spike."""
    apart = SPIKE * np.sqrt(noise[:, None] * (1 + 1 / np.maximum(boots - 1, 1)))
    odd = (boots > 1) & (lift * boots > apart)
    return np.where(odd, values + lift, values), np.where(odd, 0.0, lift)


def _variances(
    shown: Array, shown_df: Array, boots: Array, noise: Array, df: Array, settings: JudgeSettings
) -> tuple[Array, Array]:
    """(what boots do not lower in each series, the noise of each point). Of one boot: what boots showed, or what is
    `shown` from point to point, if that is more. Of more boots the former part falls with their number; the latter
    stays as far as it is more by a standard error.
    """
    error = np.sqrt(2 * (shown**2 / np.maximum(shown_df, 1.0) + noise**2 / np.maximum(df, 1.0)))
    beyond = np.maximum(shown - noise - error, 0.0)
    single = np.maximum(noise, shown)[:, None]
    many = np.maximum(noise[:, None] / boots + beyond[:, None], single / boots)
    least = settings.resolution**2 / settings.max_prompts
    return beyond, np.maximum(np.where(boots > 1, many, single), least)


def _alone(values: Array, variances: Array, boots: Array, lift: Array, df: Array, settings: JudgeSettings) -> _Alone:
    least = math.log1p(-settings.relevant)
    with np.errstate(invalid="ignore", divide="ignore"):
        change, error = _against_the_last(values, variances, least)
        low, rest = change <= least, change + lift
        p, others = stdtr(df[:, None], change / error), stdtr(df[:, None], rest / error)
        level = levels_of(boots, settings)
        clear = (rest <= least) & (others < level) & (change < -math.sqrt(PENALTY) * error)
        return _Alone(change, error, low & (p < level), clear)


def _against_the_last(values: Array, variances: Array, least: float) -> tuple[Array, Array]:
    """(change, error) of each point. One after another, as they came: those that are not low join what the next is set
    against. Low is relevantly so and by two errors, and the first few join anyway: else one high point at the beginning
    would keep all others out.
    """
    rows = np.arange(len(values))
    change, error = np.full((2, *values.shape), np.nan)
    kept, weights = np.zeros((2, _LAST, len(values)))
    mass, lean = np.zeros((2, len(values)))
    place = np.zeros(len(values), dtype=np.intp)
    before = np.isfinite(values).cumsum(1)
    for at in range(values.shape[1]):
        value, variance = values[:, at], variances[:, at]
        here = change[:, at] = value - np.where(mass > 0, lean / mass, np.nan)
        error[:, at] = np.sqrt(variance + 1 / mass)
        low = (here <= least) & (here < -2 * error[:, at]) & (before[:, at] > _FEW)
        weight = np.where(np.isfinite(value) & ~low, 1 / variance, 0.0)
        joins = rows[weight > 0]
        slot = place[joins], joins
        mass[joins] += weight[joins] - weights[slot]
        lean[joins] += weight[joins] * value[joins] - weights[slot] * kept[slot]
        weights[slot], kept[slot] = weight[joins], value[joins]
        place[joins] = (place[joins] + 1) % _LAST
    return change, error


def _segments(starts: Flags) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each point where its segment begins, and how long that is."""
    at = np.arange(starts.shape[1])
    begins = np.maximum.accumulate(np.where(starts, at, 0), axis=1)
    ends = np.where(np.roll(starts, -1, axis=1) | (at == at[-1]), at, at[-1])
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return begins, last - begins + 1
