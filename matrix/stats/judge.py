"""The judge: a pure function from the runs of one series to its states and flips."""

from collections.abc import Sequence
from dataclasses import replace

from matrix.core.outcome import Tier
from matrix.core.state import Metric, State, Verdict
from matrix.stats.accept import accept
from matrix.stats.boots import Revision, revisions
from matrix.stats.failed import failed
from matrix.stats.flips import flips, standing
from matrix.stats.judgement import RevisionJudgement, SeriesJudgement
from matrix.stats.output import output
from matrix.stats.point import RunPoint
from matrix.stats.settings import DEFAULTS, JudgeSettings
from matrix.stats.speed import speed

__all__ = ["JudgeSettings", "RevisionJudgement", "RunPoint", "SeriesJudgement", "judge_series", "standing"]


def judge_series(points: Sequence[RunPoint], settings: JudgeSettings = DEFAULTS) -> SeriesJudgement:
    """States of every revision and the flips between them.

    `points` are the runs of one series, oldest revision first. Linear in the number of runs; the same points give the
    same judgement.
    """
    reference: RunPoint | None = None
    judged = []
    for revision in revisions(points):
        verdicts = _verdicts(revision, reference, settings)
        point = revision.point
        judged.append(RevisionJudgement(point.revision, point.run_id, revision.run_ids, verdicts))
        if _becomes_reference(verdicts[0], settings):
            reference = point
    found = tuple(judged)
    return SeriesJudgement(found, flips(found))


def _becomes_reference(verdict: Verdict, settings: JudgeSettings) -> bool:
    """A healthy revision does, unless it lies relevantly below the reference: then a real fall too small to be
    significant would become the measure of what follows, and be hidden for good.
    """
    change = dict(verdict.numbers).get("change")
    doubtful = isinstance(change, float) and change <= -settings.relevant
    return verdict.state is State.HEALTHY and not doubtful


def _verdicts(revision: Revision, reference: RunPoint | None, settings: JudgeSettings) -> tuple[Verdict, ...]:
    point = revision.point
    if revision.split:
        return tuple(Verdict(metric, State.UNKNOWN, revision.split) for metric in Metric)
    if point.outcome.tier is not Tier.OK:
        found = failed(point)
    else:
        found = (accept(point, reference, settings), speed(point), output(point))
    return tuple(_noted(verdict, revision.note) for verdict in found)


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, reason=f"{verdict.reason}; {note}") if note else verdict
