"""A revision's accept length set against the reference, the last healthy revision."""

from matrix.core.state import Metric, State, Verdict
from matrix.stats.lengths import Lengths, lengths
from matrix.stats.paired import Comparison, compare
from matrix.stats.point import RunPoint
from matrix.stats.settings import JudgeSettings
from matrix.stats.words import Numbers, count, numbers, percent, span


def against(point: RunPoint, measured: Lengths, reference: RunPoint | None, settings: JudgeSettings) -> Verdict:
    """Healthy, degraded or suspicious-high; unknown where too few prompts are common to both."""
    alone = numbers(after=measured.pooled(), prompts=len(measured.counters), steps=measured.steps)
    opening = f"accept length {measured.pooled():.2f} over {count(len(measured.counters), 'prompt')}"
    if reference is None:
        return _verdict(State.HEALTHY, f"{opening}; nothing earlier to compare it with", alone)
    earlier = lengths(reference, settings)
    unlike = _unlike(measured, earlier, settings)
    if unlike:
        return _verdict(State.HEALTHY, f"{opening}; not comparable with {reference.revision}: {unlike}", alone)
    common = sorted(measured.counters.keys() & earlier.counters.keys())
    if len(common) < settings.min_pairs:
        reason = f"insufficient: {count(len(common), 'prompt')} in common with {reference.revision}"
        return _verdict(State.UNKNOWN, f"{reason}, at least {settings.min_pairs} are needed", alone)
    return _paired(point, measured, reference, earlier, common, settings)


def _unlike(measured: Lengths, earlier: Lengths, settings: JudgeSettings) -> str:
    """Why the reference can never be compared with; the newer revision then starts anew."""
    if measured.visible != earlier.visible:
        return "one has draft counters, the other only visible tokens"
    if len(earlier.counters) < settings.min_pairs <= len(measured.counters):
        return f"it has only {count(len(earlier.counters), 'prompt')}"
    return ""


def _paired(
    point: RunPoint,
    measured: Lengths,
    reference: RunPoint,
    earlier: Lengths,
    common: list[str],
    settings: JudgeSettings,
) -> Verdict:
    pairs = [(earlier.values[p], measured.values[p]) for p in common]
    found = compare(pairs, confidence=settings.confidence, resolution=settings.resolution)
    before, after = earlier.pooled(common), measured.pooled(common)
    looping = _newly_looping(point, reference, common)
    many = looping >= settings.loop_share * len(common)
    state, remark = _state(found, looping if many else 0, settings)
    reason = f"{_figures(found, settings)}, {before:.2f} -> {after:.2f}, against {reference.revision}"
    tail = [part for part in (remark, *_doubts(point, reference, state)) if part]
    return _verdict(state, "; ".join([reason, *tail]), _numbers(found, before, after, reference))


def _state(found: Comparison, looping: int, settings: JudgeSettings) -> tuple[State, str]:
    """Significant and relevant are two questions; both must be answered yes."""
    if found.change <= -settings.relevant:
        return _fallen(found, settings)
    if looping and found.change >= settings.relevant and found.p_rise < settings.alpha:
        return State.SUSPICIOUS_HIGH, f"{count(looping, 'prompt')} began to loop, which raises acceptance by itself"
    significant = min(found.p_fall, found.p_rise) < settings.alpha
    if found.change < settings.relevant:
        return State.HEALTHY, f"not relevant, below {100 * settings.relevant:g} %" if significant else ""
    return State.HEALTHY, "" if significant else f"not significant, p = {found.p_rise:.2g}"


def _fallen(found: Comparison, settings: JudgeSettings) -> tuple[State, str]:
    if found.p_fall < settings.alpha:
        return State.DEGRADED, ""
    if found.p_fall < settings.doubt:
        return State.UNKNOWN, f"insufficient: p = {found.p_fall:.2g}, more prompts or another boot would tell"
    return State.HEALTHY, f"not significant, p = {found.p_fall:.2g}, so the reference stays"


def _newly_looping(point: RunPoint, reference: RunPoint, common: list[str]) -> int:
    return sum("loops" in point.flags.get(p, ()) and "loops" not in reference.flags.get(p, ()) for p in common)


def _doubts(point: RunPoint, reference: RunPoint, state: State) -> tuple[str, ...]:
    """What else differs, or should differ and does not: many a regression is a changed default."""
    k = (
        f"k changed, {reference.k} -> {point.k}"
        if None not in (point.k, reference.k) and point.k != reference.k
        else ""
    )
    same = point.artifact is not None and point.artifact == reference.artifact
    suspect = "both revisions served the same artifact, so the cause lies elsewhere" if same and state.bad else ""
    return k, suspect


def _figures(found: Comparison, settings: JudgeSettings) -> str:
    interval = f"{100 * settings.confidence:g} % interval {span(found.low, found.high)}"
    return f"{percent(found.change)} over {count(found.pairs, 'paired prompt')} ({interval})"


def _numbers(found: Comparison, before: float, after: float, reference: RunPoint) -> Numbers:
    return numbers(
        before=before,
        after=after,
        change=found.change,
        low=found.low,
        high=found.high,
        pairs=found.pairs,
        p_fall=float(f"{found.p_fall:.3g}"),
        p_rise=float(f"{found.p_rise:.3g}"),
        reference=reference.revision,
        reference_run=reference.run_id,
    )


def _verdict(state: State, reason: str, values: Numbers) -> Verdict:
    return Verdict(Metric.ACCEPT_LENGTH, state, reason, values)
