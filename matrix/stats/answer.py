"""Three answers to one comparison, and what would turn an ambiguous one into good or bad."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from matrix.stats.noise import Array, NoiseFloor
from matrix.stats.paired import Comparison
from matrix.stats.settings import JudgeSettings

Flags = NDArray[np.bool_]
BOOT, PROMPTS, NOTHING = "boot", "prompts", ""


@dataclass(frozen=True, slots=True)
class Answer:
    """`bad`: a relevant fall, and significant. `good`: a fall that must be caught is excluded. Neither: ambiguous,
    and `ask` says what would tell, `boot` or `prompts`; empty where all that may be asked for is there.
    """

    bad: bool
    good: bool
    ask: str = NOTHING


def level(boots: int, settings: JudgeSettings) -> float:
    """Significance level of a comparison with `boots` on its poorer side.

    A comparison that is looked at again after each purchase of boots has several chances to be wrong, so the early
    looks spend less: `alpha` x boots / `max_boots`, at least `alpha` x `first_share`.
    """
    return float(levels_of(np.array(float(boots)), settings))


def levels_of(boots: Array, settings: JudgeSettings) -> Array:
    """`level` of many."""
    share: Array = np.clip(boots / settings.max_boots, settings.first_share, 1.0)
    return settings.alpha * share


def answers(
    found: Comparison[Array], boots: int, settings: JudgeSettings, *, relevant: float, caught: float
) -> tuple[Flags, Flags]:
    """(bad, good) for comparisons along any axes, with `boots` on the poorer side."""
    bad = (found.change <= -relevant) & (found.p_fall < level(boots, settings))
    excluded = stdtr(found.df, (math.log1p(-caught) - found.mean) / found.error)
    sure = settings.sure if boots < settings.max_boots else (1 - settings.confidence) / 2
    return bad, ~bad & (excluded < sure)


def answer(
    found: Comparison[float],
    floor: NoiseFloor,
    boots: tuple[int, int],
    settings: JudgeSettings,
    *,
    relevant: float,
    caught: float,
) -> Answer:
    """The answer to one comparison; `boots` are those before and after."""
    one = _arrays(found)
    bad, good = answers(one, min(boots), settings, relevant=relevant, caught=caught)
    if bad or good:
        return Answer(bool(bad), bool(good))
    return Answer(False, False, _ask(found, floor, boots, settings))


def boots_wanted(before: int, after: int, settings: JudgeSettings) -> tuple[int, int]:
    """Boots of each side to have at the next look, where a boot is asked for: twice those of the poorer side."""
    wanted = min(2 * min(before, after), settings.max_boots)
    return max(before, wanted), max(after, wanted)


def _ask(found: Comparison[float], floor: NoiseFloor, boots: tuple[int, int], settings: JudgeSettings) -> str:
    """Boots where they make up most of the variance that can be bought down, else prompts."""
    by_boots = floor.variance * (1 / boots[0] + 1 / boots[1])
    can_boot = min(boots) < settings.max_boots and by_boots > 0
    can_prompt = found.pairs < settings.max_prompts
    if can_boot and (by_boots >= found.within or not can_prompt):
        return BOOT
    return PROMPTS if can_prompt else NOTHING


def _arrays(found: Comparison[float]) -> Comparison[Array]:
    values = {
        name: np.array(getattr(found, name))
        for name in ("change", "low", "high", "p_fall", "p_rise", "mean", "error", "within", "between", "df")
    }
    return Comparison(pairs=found.pairs, **values)
