"""The noise floor of a series, measured on the boots that its revisions were given."""

from collections.abc import Mapping, Sequence

import numpy as np

from matrix.core.state import Metric
from matrix.stats.lengths import Lengths, lengths
from matrix.stats.noise import UNMEASURED, NoiseFloor, between_boots, pool
from matrix.stats.point import RunPoint
from matrix.stats.settings import JudgeSettings
from matrix.stats.speeds import rates, time_and_tokens

Floors = Mapping[Metric, NoiseFloor]


def noise_within(boots: tuple[RunPoint, ...], settings: JudgeSettings) -> dict[Metric, NoiseFloor]:
    """Noise of accept length and of speed between the boots of one revision (A/A); `UNMEASURED` from fewer than two."""
    if len(boots) < 2:
        return {Metric.ACCEPT_LENGTH: UNMEASURED, Metric.SPEED: UNMEASURED}
    return {Metric.ACCEPT_LENGTH: _of_lengths(boots, settings), Metric.SPEED: _of_speeds(boots)}


def pooled(floors: Sequence[Floors]) -> dict[Metric, NoiseFloor]:
    """The floors of several revisions, or of sibling series, as one, each metric by itself."""
    return {
        metric: pool(floor[metric] for floor in floors if metric in floor)
        for metric in (Metric.ACCEPT_LENGTH, Metric.SPEED)
    }


def _of_lengths(boots: tuple[RunPoint, ...], settings: JudgeSettings) -> NoiseFloor:
    """Nothing from boots at the floor or the ceiling: a draft that is never accepted has no noise to show."""
    found = [lengths(boot, settings) for boot in boots]
    usable = [row for row, boot in zip(found, boots, strict=True) if row.counters and _telling(row, boot, settings)]
    if len({row.visible for row in usable}) != 1:
        return NoiseFloor()
    common = sorted(set.intersection(*(set(row.counters) for row in usable)))
    if len(common) < settings.min_pairs:
        return NoiseFloor()
    return _floor([row.tokens_and_steps(common) for row in usable])


def _telling(row: Lengths, boot: RunPoint, settings: JudgeSettings) -> bool:
    value = row.pooled()
    return value >= settings.collapsed and (boot.k is None or value < boot.k + 1)


def _of_speeds(boots: tuple[RunPoint, ...]) -> NoiseFloor:
    found = [(boot, rates(boot.tok_s)) for boot in boots]
    usable = [(boot, row) for boot, row in found if row]
    if len(usable) < 2:
        return NoiseFloor()
    common = sorted(set.intersection(*(set(row) for _, row in usable)))
    if len(common) < 2:
        return NoiseFloor()
    return _floor([time_and_tokens(row, boot, common) for boot, row in usable])


def _floor(rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> NoiseFloor:
    """From tokens and steps (or seconds) of each boot."""
    if len(rows) < 2:
        return NoiseFloor()
    variance, within = between_boots(np.array([r[0] for r in rows]), np.array([r[1] for r in rows]))
    return NoiseFloor(float(variance), float(within), len(rows) - 1)
