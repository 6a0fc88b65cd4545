"""False-discovery control over one family of comparisons, such as all series of a sweep."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from matrix.core.state import Metric, State, Verdict
from matrix.stats.flips import flips
from matrix.stats.judgement import RevisionJudgement, SeriesJudgement
from matrix.stats.settings import DEFAULTS, JudgeSettings
from matrix.stats.words import numbers

Place = tuple[str, Metric]
"""A comparison inside its series: the newer revision and the metric."""


def control(p_values: Sequence[float]) -> tuple[float, ...]:
    """The q-value of each p-value (Benjamini and Hochberg 1995): the share of false ones among all that are called when
    this one is. In the order given; one that is no probability counts as 1.

    The procedure holds for independent and for positively dependent comparisons, and those of one sweep are the
    latter: a release or a warm machine moves all its series the same way.
    """
    p = np.asarray(p_values, dtype=np.float64)
    p = np.where((p >= 0) & (p <= 1), p, 1.0)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return tuple(float(value) for value in q)


def comparisons(judgement: SeriesJudgement) -> dict[Place, float]:
    """One-sided p of a fall for every comparison of a series, ready for `control`."""
    return {
        (revision.revision, verdict.metric): p
        for revision in judgement.revisions
        for verdict in revision.verdicts
        if isinstance(p := dict(verdict.numbers).get("p_fall"), float) and isfinite(p)
    }


def settled(
    judgement: SeriesJudgement, q_values: Mapping[Place, float], settings: JudgeSettings = DEFAULTS
) -> SeriesJudgement:
    """The judgement with its q-values, and its final states and flips.

    A fall whose q lies above `false_discovery` is unknown: among so many comparisons chance gives one like it. States
    that do not rest on a comparison (collapsed, broken, wrong output) stay as they are.
    """
    found = tuple(_settled(revision, q_values, settings) for revision in judgement.revisions)
    return SeriesJudgement(found, flips(found))


def _settled(
    revision: RevisionJudgement, q_values: Mapping[Place, float], settings: JudgeSettings
) -> RevisionJudgement:
    verdicts = tuple(_with_q(v, q_values.get((revision.revision, v.metric)), settings) for v in revision.verdicts)
    return replace(revision, verdicts=verdicts)


def _with_q(verdict: Verdict, q: float | None, settings: JudgeSettings) -> Verdict:
    if q is None or "q" not in dict(verdict.numbers):
        return verdict
    told = replace(verdict, numbers=tuple((dict(verdict.numbers) | dict(numbers(q=q))).items()))
    if verdict.state not in (State.DEGRADED, State.SLOWER) or q <= settings.false_discovery:
        return told
    doubt = f"insufficient: q = {q:.2g}, too many comparisons for a p of {dict(verdict.numbers)['p_fall']:.2g}"
    return replace(told, state=State.UNKNOWN, reason=f"{verdict.reason}; {doubt}")
