"""The judge: a pure function from the runs of one series to its states and flips."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from matrix.core.outcome import Tier
from matrix.core.state import Metric, State, Verdict
from matrix.stats.accept import accept
from matrix.stats.answer import BOOT
from matrix.stats.boots import Revision, revisions
from matrix.stats.failed import failed
from matrix.stats.flips import flips, standing
from matrix.stats.floors import Floors, noise_within, pooled
from matrix.stats.judgement import RevisionJudgement, SeriesJudgement
from matrix.stats.long import over_long
from matrix.stats.noise import UNMEASURED, NoiseFloor, capped, pool, with_prior
from matrix.stats.output import output
from matrix.stats.point import RunPoint
from matrix.stats.reference import Reference, following
from matrix.stats.settings import DEFAULTS, JudgeSettings
from matrix.stats.speed import speed
from matrix.stats.trace import Trace, trace
from matrix.stats.words import Numbers, numbers

__all__ = [
    "Floors",
    "JudgeSettings",
    "RevisionJudgement",
    "RunPoint",
    "SeriesJudgement",
    "Step",
    "as_whole",
    "conclude",
    "floors_of",
    "follow",
    "judge_series",
    "noise_of",
    "standing",
    "with_siblings",
]
NO_SIBLINGS: Floors = {}
References = Mapping[Metric, Reference | None]
NO_REFERENCES: References = {}


def judge_series(
    points: Sequence[RunPoint], settings: JudgeSettings = DEFAULTS, siblings: Floors = NO_SIBLINGS
) -> SeriesJudgement:
    """States of every revision and the flips between them.

    `points` are the runs of one series, oldest revision first. `siblings` is the noise between boots that other series
    of the same engine and hardware showed (`noise_of` each, `floors.pooled`). Linear in the number of runs; the same
    points give the same judgement.
    """
    found = revisions(points)
    traces = [trace(revision, settings) for revision in found]
    steps = follow(found, floors_of(traces, siblings, settings), settings)
    return conclude(traces, [step.judgement for step in steps], settings, siblings)


def noise_of(points: Sequence[RunPoint], settings: JudgeSettings = DEFAULTS) -> dict[Metric, NoiseFloor]:
    """Noise between the boots of one series' revisions, on no degrees of freedom where no revision was booted twice."""
    return pooled([noise_within(revision.boots, settings) for revision in revisions(points)])


@dataclass(frozen=True, slots=True)
class Step:
    """What is said of one revision in the light of those before it, and the `references` of those behind it."""

    judgement: RevisionJudgement
    references: References


def follow(
    found: Iterable[Revision], floors: Floors, settings: JudgeSettings, references: References = NO_REFERENCES
) -> Iterator[Step]:
    """A step a revision. `references` are those that the step before the first of `found` left: what was judged before
    need not be judged again.
    """
    for revision in found:
        verdicts = _verdicts(revision, references, floors, settings)
        references = {
            v.metric: following(references.get(v.metric), revision, v, relevant, settings)
            for v, relevant in zip(verdicts, (settings.relevant, settings.relevant_speed), strict=False)
        }
        point = revision.point
        yield Step(RevisionJudgement(point.revision, point.run_id, revision.run_ids, verdicts), references)


def conclude(
    traces: Sequence[Trace],
    judged: Sequence[RevisionJudgement],
    settings: JudgeSettings,
    siblings: Floors = NO_SIBLINGS,
) -> SeriesJudgement:
    """The states of the series seen as a whole, with its flips; see `as_whole`."""
    whole = as_whole(traces, judged, settings, siblings)
    return SeriesJudgement(whole, flips(whole))


def as_whole(
    traces: Sequence[Trace],
    judged: Sequence[RevisionJudgement],
    settings: JudgeSettings,
    siblings: Floors = NO_SIBLINGS,
) -> tuple[RevisionJudgement, ...]:
    """The states of the series seen as a whole: `judged` is what `follow` said of each revision, `traces` what each
    shows, `siblings` the noise that is lent to it.
    """
    length = Metric.ACCEPT_LENGTH
    lent = capped(siblings.get(length, UNMEASURED), settings.sibling_df)
    measured = pool((pooled([trace.noise for trace in traces])[length], lent))
    return tuple(over_long(traces, judged, measured, settings))


def floors_of(traces: Sequence[Trace], siblings: Floors, settings: JudgeSettings) -> Floors:
    """The noise that a series is judged with: its own, what siblings lend, and what is assumed."""
    return with_siblings(pooled([trace.noise for trace in traces]), siblings, settings)


def with_siblings(own: Floors, siblings: Floors, settings: JudgeSettings) -> Floors:
    """Where too little noise of accept length is measured some is assumed; that of speed is never assumed."""
    length, tok_s = Metric.ACCEPT_LENGTH, Metric.SPEED
    return {
        length: with_prior(
            own[length],
            siblings.get(length, UNMEASURED),
            assumed=settings.assumed_noise,
            least_df=settings.least_df,
            most_df=settings.sibling_df,
        ),
        tok_s: pool((own[tok_s], capped(siblings.get(tok_s, UNMEASURED), settings.sibling_df))),
    }


def _verdicts(
    revision: Revision, references: References, floors: Floors, settings: JudgeSettings
) -> tuple[Verdict, ...]:
    point, boots = revision.point, len(revision.boots)
    if revision.split:
        return tuple(Verdict(metric, State.UNKNOWN, revision.split, _tie(metric, boots, settings)) for metric in Metric)
    if point.outcome.tier is not Tier.OK:
        found = failed(point)
    else:
        length, tok_s = Metric.ACCEPT_LENGTH, Metric.SPEED
        found = (
            accept(point, references.get(length), settings, floors[length], boots),
            speed(point, references.get(tok_s), settings, floors[tok_s], boots),
            output(point),
        )
    return tuple(_noted(verdict, revision.note) for verdict in found)


def _tie(metric: Metric, boots: int, settings: JudgeSettings) -> Numbers:
    """One more boot than those that disagree breaks the tie."""
    if metric is not Metric.ACCEPT_LENGTH or boots >= settings.max_boots:
        return ()
    return numbers(boots_after=boots, ask=BOOT)


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, reason=f"{verdict.reason}; {note}") if note else verdict
