"""Does the accept length change while a server runs? The first window against the last, the same prompts in both."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev, variance

from scipy.special import stdtrit

from matrix.core.counters import Counters, accept_length, combine
from matrix.core.result import POOLED, Uptime
from matrix.stats.settings import DEFAULTS, JudgeSettings

Round = Mapping[str, Counters]
Difference = tuple[float | None, float | None, float]
"""Mean difference of log accept lengths, its standard error, and the error's degrees of freedom."""

_ALPHA = 0.001
"""Two-sided p below which a change is no noise: this is asked once a run, of many runs."""


def over_time(
    minutes: float,
    rounds: int,
    first: Sequence[Round],
    last: Sequence[Round],
    *,
    draftless: bool,
    settings: JudgeSettings = DEFAULTS,
) -> Uptime:
    """Compare the windows; drift is a change both relevant and beyond noise.

    Prompts are compared with themselves: the mean of their log ratios, Student's t over prompts. Where requests were
    counted together there are no prompts to pair, and rounds stand in: Welch's t between the two windows' log lengths.
    Without a second prompt or round there is a change but no interval, and never drift.
    """
    early, late = (combine(c for r in window for c in r.values()) for window in (first, last))
    ratios = _ratios(first, last, draftless)
    mean, error, freedom = _paired(ratios) if ratios else _welch(_lengths(first, draftless), _lengths(last, draftless))
    if mean is None:
        return Uptime(minutes, rounds, early, late)
    change = math.expm1(mean)
    if error is None:
        return Uptime(minutes, rounds, early, late, change)
    low, high = (math.expm1(mean + sign * _half(error, freedom, 1 - settings.confidence)) for sign in (-1, 1))
    beyond = abs(mean) > _half(error, freedom, _ALPHA)
    return Uptime(minutes, rounds, early, late, change, low, high, beyond and abs(change) >= settings.relevant)


def _ratios(first: Sequence[Round], last: Sequence[Round], draftless: bool) -> list[float]:
    """Log of each prompt's last over first accept length, over the prompts counted in both windows."""
    names = [n for n in {name for r in first for name in r} & {name for r in last for name in r} if n != POOLED]
    pairs = [(_length(first, name, draftless), _length(last, name, draftless)) for name in sorted(names)]
    return [math.log(after / before) for before, after in pairs if before and after]


def _length(rounds: Sequence[Round], name: str, draftless: bool) -> float | None:
    return accept_length(combine(r[name] for r in rounds if name in r), draftless=draftless)


def _lengths(rounds: Sequence[Round], draftless: bool) -> list[float]:
    found = (accept_length(combine(r.values()), draftless=draftless) for r in rounds)
    return [math.log(length) for length in found if length]


def _paired(ratios: Sequence[float]) -> Difference:
    error = stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else None
    return fmean(ratios), error, len(ratios) - 1


def _welch(before: Sequence[float], after: Sequence[float]) -> Difference:
    """The degrees of freedom are Welch's and Satterthwaite's."""
    if not before or not after:
        return None, None, 0
    mean = fmean(after) - fmean(before)
    if len(before) < 2 or len(after) < 2:
        return mean, None, 0
    parts = [(variance(values) / len(values), len(values) - 1) for values in (before, after)]
    square = sum(part for part, _ in parts)
    freedom = square**2 / sum(part**2 / n for part, n in parts) if square else float(sum(n for _, n in parts))
    return mean, math.sqrt(square), freedom


def _half(error: float, freedom: float, alpha: float) -> float:
    return error * float(stdtrit(freedom, 1 - alpha / 2))
