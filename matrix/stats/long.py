"""Long series: steps told from single spikes, and falls that no two revisions show by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from matrix.core.state import Metric, State, Verdict
from matrix.stats.answer import BOOT, NOTHING, PROMPTS
from matrix.stats.judgement import RevisionJudgement
from matrix.stats.levels import find_levels
from matrix.stats.noise import NoiseFloor
from matrix.stats.settings import JudgeSettings
from matrix.stats.trace import Row, Trace
from matrix.stats.words import count, percent


@dataclass(frozen=True, slots=True)
class Level:
    """Where one revision of `boots` boots lies; the flags of `matrix.stats.levels.Levels`, and its segment's `change`
    from the highest before it (a share), the revision `since` which it lasts, and over how many `points`. Of the
    `newest` alone a boot is ever asked for.
    """

    boots: int
    change: float
    since: str
    points: int
    stepped: bool
    fallen: bool
    open: bool
    asks: bool
    newest: bool


def over_long(
    traces: Sequence[Trace], judged: Sequence[RevisionJudgement], floor: NoiseFloor, settings: JudgeSettings
) -> list[RevisionJudgement]:
    """The judgements of a series of at least `long` comparable revisions, seen as a whole; others as they are.

    `floor` is the noise between boots that was measured, on this series or its siblings.
    """
    levels = _levels(traces, floor, settings)
    return [_seen(judgement, levels.get(judgement.revision)) for judgement in judged]


def _seen(judgement: RevisionJudgement, level: Level | None) -> RevisionJudgement:
    if level is None:
        return judgement
    verdicts = tuple(_settle(v, level) if v.metric is Metric.ACCEPT_LENGTH else v for v in judgement.verdicts)
    return judgement if verdicts == judgement.verdicts else replace(judgement, verdicts=verdicts)


def _settle(verdict: Verdict, level: Level) -> Verdict:
    """Only states that rest on a comparison: a collapse or a crash counts at once."""
    told = dict(verdict.numbers)
    if "low" not in told or verdict.state not in (State.HEALTHY, State.UNKNOWN, State.DEGRADED):
        return verdict
    if level.fallen:
        return verdict if verdict.state is State.DEGRADED else _degraded(_asking(verdict, NOTHING), level)
    if verdict.state is State.DEGRADED:
        more = ", another boot would tell" if level.asks else ""
        reason = f"insufficient: low on {count(level.boots, 'boot')} and no step{more}; {verdict.reason}"
        verdict = _asking(verdict, BOOT if level.asks else NOTHING)
        return replace(verdict, state=State.UNKNOWN, reason=reason)
    if level.newest and told["ask"] != PROMPTS:
        verdict = _asking(verdict, BOOT if level.asks else NOTHING)
    if verdict.state is State.UNKNOWN and not level.open:
        return replace(verdict, state=State.HEALTHY, reason=f"on the series' level; by itself: {verdict.reason}")
    return verdict


def _asking(verdict: Verdict, ask: str) -> Verdict:
    return replace(verdict, numbers=tuple((dict(verdict.numbers) | {"ask": ask}).items()))


def _degraded(verdict: Verdict, level: Level) -> Verdict:
    step = f"{percent(level.change)} since {level.since}, a step over {count(level.points, 'revision')}"
    low = f"low on {count(level.boots, 'boot')} beside the revisions before it"
    reason = f"{step if level.stepped else low}; by itself: {verdict.reason}"
    return replace(verdict, state=State.DEGRADED, reason=reason)


def _levels(traces: Sequence[Trace], floor: NoiseFloor, settings: JudgeSettings) -> dict[str, Level]:
    """The level of every revision on the longest stretch of comparable ones; empty where that is not long."""
    alike = _stretch(traces)
    common = set.intersection(*(set(row.prompts) for _, row in alike)) if alike else set()
    if len(alike) < settings.long or len(common) < settings.min_pairs:
        return {}
    values = np.log([[row.pooled(common) for _, row in alike]])
    boots = np.array([[float(trace.boots) for trace, _ in alike]])
    lift = np.array([[trace.lift for trace, _ in alike]])
    found = find_levels(values, boots, lift, np.array([floor.boot]), np.array([floor.df]), settings)
    names = [trace.revision for trace, _ in alike]
    return {
        name: Level(
            boots=int(boots[0, at]),
            change=float(np.expm1(found.change[0, at])),
            since=names[found.begins[0, at]],
            points=int(found.length[0, at]),
            stepped=bool(found.stepped[0, at]),
            fallen=bool(found.fallen[0, at]),
            open=bool(found.open[0, at]),
            asks=bool(found.asks[0, at]),
            newest=name == names[-1],
        )
        for at, name in enumerate(names)
    }


def _stretch(traces: Sequence[Trace]) -> list[tuple[Trace, Row]]:
    """The revisions of the usual k and kind of counters."""
    usable = [(trace, trace.row) for trace in traces if trace.row is not None]
    kinds = [(row.visible, row.k) for _, row in usable]
    usual = max(sorted(set(kinds), key=repr), key=kinds.count, default=None)
    return [pair for pair, kind in zip(usable, kinds, strict=True) if kind == usual]
