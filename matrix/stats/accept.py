"""State of the accept length at a revision that served."""

from collections.abc import Callable

from matrix.core.spec import Method
from matrix.core.state import Metric, State, Verdict
from matrix.stats.against import against
from matrix.stats.lengths import Lengths, drafted_lengths, impossible, lengths, upper_bound
from matrix.stats.noise import NoiseFloor
from matrix.stats.point import RunPoint
from matrix.stats.reference import Reference
from matrix.stats.settings import JudgeSettings
from matrix.stats.words import Numbers, count, numbers

Rule = Callable[[RunPoint, Lengths, JudgeSettings], Verdict | None]


def accept(
    point: RunPoint, reference: Reference | None, settings: JudgeSettings, floor: NoiseFloor, boots: int = 1
) -> Verdict:
    """First what the revision says alone, then the comparison with `reference`, the last healthy revision.

    `point` is pooled over `boots`; `floor` is the noise between them.
    """
    if point.method is Method.NONE:
        return Verdict(Metric.ACCEPT_LENGTH, State.NOT_APPLICABLE, "no draft")
    measured = lengths(point, settings)
    for rule in RULES:
        verdict = rule(point, measured, settings)
        if verdict:
            return verdict
    return against(point, measured, reference, boots, floor, settings)


def _impossible(point: RunPoint, measured: Lengths, settings: JudgeSettings) -> Verdict | None:
    """One such number says that the row was damaged or written by hand, so the run's others are not believed either."""
    found = impossible(point)
    return _verdict(State.UNKNOWN, found) if found else None


def _nothing_measured(point: RunPoint, measured: Lengths, settings: JudgeSettings) -> Verdict | None:
    """Zero steps is the engine saying that it never speculated; no counter at all is it saying nothing."""
    if measured.counters:
        return None
    told = [c.steps for c in point.prompts.values()]
    if told and all(steps == 0 for steps in told) and not point.method.counts_draftless_steps:
        reason = f"served, but no draft counters moved: 0 verify steps over {count(len(told), 'prompt')}"
        return _verdict(State.BROKEN, reason)
    return _verdict(State.UNKNOWN, "no counter of any prompt allows an accept length")


def _too_few_steps(point: RunPoint, measured: Lengths, settings: JudgeSettings) -> Verdict | None:
    if measured.steps >= settings.min_steps:
        return None
    reason = f"insufficient: {count(measured.steps, 'step')}, at least {settings.min_steps} are needed"
    return _verdict(State.UNKNOWN, reason, _alone(measured))


def _too_high(point: RunPoint, measured: Lengths, settings: JudgeSettings) -> Verdict | None:
    """Exactly k + 1 means that not one draft was ever refused, more than that cannot be."""
    if point.k is None or measured.accepted < point.k * measured.steps:
        return None
    value, most = measured.pooled(), point.k + 1
    how = "exactly" if measured.accepted == point.k * measured.steps else "above"
    reason = (
        f"accept length {value:.3f} over {count(measured.steps, 'step')} is {how} the most possible, k + 1 = {most}"
    )
    return _verdict(State.SUSPICIOUS_HIGH, reason, _alone(measured))


def _collapsed(point: RunPoint, measured: Lengths, settings: JudgeSettings) -> Verdict | None:
    """Asked of the steps that carried a draft: an n-gram without matches is idle, not collapsed."""
    drafted = drafted_lengths(point, settings) if measured.visible else measured
    asked = drafted if drafted.counters or point.method.counts_draftless_steps else measured
    if asked.steps < settings.min_steps:
        return None
    bound = upper_bound(asked.rows, settings.confidence)
    if bound >= settings.collapsed:
        return None
    if asked.accepted <= 0:
        reason = (
            f"none of {count(asked.steps, 'verify step')} accepted a draft token, accept length {asked.pooled():.3f}"
        )
    else:
        reason = (
            f"accept length {asked.pooled():.3f} over {count(asked.steps, 'verify step')}, upper "
            f"{settings.confidence:.0%} bound {bound:.3f}, below {settings.collapsed:g}".replace("%", " %")
        )
    return _verdict(State.COLLAPSED, reason, (*_alone(measured), *numbers(upper=bound)))


RULES: tuple[Rule, ...] = (_impossible, _nothing_measured, _too_few_steps, _too_high, _collapsed)


def _alone(measured: Lengths) -> Numbers:
    return numbers(after=measured.pooled(), prompts=len(measured.counters), steps=measured.steps)


def _verdict(state: State, reason: str, values: Numbers = ()) -> Verdict:
    return Verdict(Metric.ACCEPT_LENGTH, state, reason, values)
