"""Changes of state between neighbouring measured revisions, in the fixed words."""

from dataclasses import dataclass

from matrix.core.state import Change, Flip, Metric, State, Verdict
from matrix.stats.judgement import RevisionJudgement, SeriesJudgement


@dataclass(frozen=True, slots=True)
class _Memory:
    """The last known state with its revision and run; whether the series was ever healthy, and is bad since."""

    state: State = State.UNKNOWN
    revision: str = ""
    run: str | None = None
    ever_healthy: bool = False
    bad: bool = False


def flips(revisions: tuple[RevisionJudgement, ...]) -> tuple[Flip, ...]:
    """One flip a change, in revision order. Unknown and not-applicable are passed over."""
    place = {revision.revision: index for index, revision in enumerate(revisions)}
    found = (flip for metric in Metric for flip in _of(metric, revisions))
    return tuple(sorted(found, key=lambda flip: place[flip.after_revision]))


def standing(judgement: SeriesJudgement) -> list[Flip]:
    """Regressions that no later `fixed` ended, oldest first: they stand at the newest measured revision."""
    open_: dict[Metric, Flip] = {}
    for flip in judgement.flips:
        if flip.change is Change.REGRESSION:
            open_[flip.metric] = flip
        elif flip.change is Change.FIXED:
            open_.pop(flip.metric, None)
    return [flip for flip in judgement.flips if flip in open_.values()]


def change(before: State, after: State, *, ever_healthy: bool, bad: bool) -> Change | None:
    """The word for `before` -> `after`, both measured; `before` is unknown at the first measured revision.

    `bad` says whether the last state that was healthy or bad was bad: suspicious-high is neither and settles nothing.
    """
    if before is after:
        return None
    if after is State.SUSPICIOUS_HIGH:
        return Change.APPEARED
    if after.bad:
        return Change.STILL_FAILING if bad else Change.REGRESSION if ever_healthy else Change.NEW_FAILURE
    if bad:
        return Change.FIXED if ever_healthy else Change.NEW_PASS
    return Change.DISAPPEARED if before is State.SUSPICIOUS_HIGH else None


def _of(metric: Metric, revisions: tuple[RevisionJudgement, ...]) -> list[Flip]:
    found, memory = [], _Memory()
    for revision in revisions:
        verdict = revision.verdict(metric)
        if not verdict.state.known:
            continue
        word = change(memory.state, verdict.state, ever_healthy=memory.ever_healthy, bad=memory.bad)
        if word:
            found.append(_flip(word, memory, revision, verdict))
        memory = _remember(memory, revision, verdict.state)
    return found


def _flip(word: Change, memory: _Memory, revision: RevisionJudgement, verdict: Verdict) -> Flip:
    return Flip(
        metric=verdict.metric,
        change=word,
        before_revision=memory.revision,
        after_revision=revision.revision,
        before=memory.state,
        after=verdict.state,
        reason=verdict.reason,
        before_run=memory.run,
        after_run=revision.run_id,
    )


def _remember(memory: _Memory, revision: RevisionJudgement, state: State) -> _Memory:
    healthy = state is State.HEALTHY
    return _Memory(
        state=state,
        revision=revision.revision,
        run=revision.run_id,
        ever_healthy=memory.ever_healthy or healthy,
        bad=state.bad or (memory.bad and not healthy),
    )
