"""Long series: steps told from single spikes, and falls that no two revisions show by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from matrix.core.state import Metric, State, Verdict
from matrix.stats.answer import BOOT
from matrix.stats.judgement import RevisionJudgement
from matrix.stats.noise import Array, NoiseFloor
from matrix.stats.settings import JudgeSettings
from matrix.stats.steps import find_steps, series_noise
from matrix.stats.trace import Trace
from matrix.stats.words import count, percent

_BOOTS = 2
"""Boots from which a low revision is believed although its neighbours are not low."""


@dataclass(frozen=True, slots=True)
class Level:
    """Where one revision lies: the `change` of its segment from the best level before it (a share, 0 on that level),
    and since which revision the segment lasts. `confirmed`: it is no spike.
    """

    change: float
    since: str
    points: int
    confirmed: bool


def over_long(
    traces: Sequence[Trace], judged: Sequence[RevisionJudgement], floor: NoiseFloor, settings: JudgeSettings
) -> list[RevisionJudgement]:
    """The judgements of a series of at least `long` comparable revisions, seen as a whole; others as they are.

    `floor` is the noise between boots that the series itself showed.
    """
    levels = _levels(traces, floor, settings)
    return [_seen(j, t.boots, levels.get(j.revision), settings) for j, t in zip(judged, traces, strict=True)]


def _seen(judgement: RevisionJudgement, boots: int, level: Level | None, settings: JudgeSettings) -> RevisionJudgement:
    if level is None:
        return judgement
    verdicts = tuple(
        _settle(v, boots, level, settings) if v.metric is Metric.ACCEPT_LENGTH else v for v in judgement.verdicts
    )
    return judgement if verdicts == judgement.verdicts else replace(judgement, verdicts=verdicts)


def _settle(verdict: Verdict, boots: int, level: Level, settings: JudgeSettings) -> Verdict:
    """Only states that rest on a comparison: a collapse or a crash counts at once."""
    low = dict(verdict.numbers).get("low")
    if not isinstance(low, float):
        return verdict
    fallen = level.change <= -settings.relevant
    agrees = level.confirmed and low <= level.change
    if fallen and agrees and verdict.state in (State.HEALTHY, State.UNKNOWN):
        step = f"{percent(level.change)} since {level.since}, a step over {count(level.points, 'revision')}"
        return replace(verdict, state=State.DEGRADED, reason=f"{step}; by itself: {verdict.reason}")
    if fallen or verdict.state not in (State.DEGRADED, State.UNKNOWN):
        return verdict
    if verdict.state is State.DEGRADED and boots < _BOOTS:
        numbers = tuple((dict(verdict.numbers) | {"ask": BOOT}).items())
        reason = f"insufficient: one low boot and no step, another boot would tell; {verdict.reason}"
        return replace(verdict, state=State.UNKNOWN, reason=reason, numbers=numbers)
    if verdict.state is State.UNKNOWN and level.confirmed:
        return replace(verdict, state=State.HEALTHY, reason=f"on the series' level; by itself: {verdict.reason}")
    return verdict


def _levels(traces: Sequence[Trace], floor: NoiseFloor, settings: JudgeSettings) -> dict[str, Level]:
    """The level of every revision on the longest stretch of comparable ones; empty where that is not long."""
    usable = [(t, t.row) for t in traces if t.row is not None]
    if len(usable) < settings.long:
        return {}
    kinds = [(row.visible, row.k) for _, row in usable]
    usual = max(sorted(set(kinds), key=repr), key=kinds.count)
    alike = [pair for pair, kind in zip(usable, kinds, strict=True) if kind == usual]
    common = set.intersection(*(set(row.prompts) for _, row in alike))
    if len(alike) < settings.long or len(common) < settings.min_pairs:
        return {}
    values = np.array([np.log(row.pooled(common)) for _, row in alike])
    return _found([t for t, _ in alike], values, floor, common, settings)


def _found(
    traces: Sequence[Trace], values: Array, floor: NoiseFloor, common: set[str], settings: JudgeSettings
) -> dict[str, Level]:
    """Noise of a point: what the series itself shows from point to point, or its boots, whichever is more."""
    boots = np.array([trace.boots for trace in traces])
    least = max(float(series_noise(values[None])[0]), settings.resolution**2 / len(common))
    steps = find_steps(values[None], np.maximum(floor.boot / boots, least)[None])
    edges = [0, *np.flatnonzero(steps.starts[0]), len(values)]
    levels, best = {}, -np.inf
    for begin, end in pairwise(edges):
        here = float(steps.levels[0, begin])
        best = max(best, here) if np.isfinite(here) else best
        change = float(np.expm1(here - best)) if np.isfinite(here) else 0.0
        since = traces[begin].revision
        for i in range(begin, end):
            levels[traces[i].revision] = Level(change, since, end - begin, not steps.spikes[0, i])
    return levels
