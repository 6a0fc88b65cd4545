"""A revision's accept length set against the reference, the last healthy revision."""

from matrix.core.state import Metric, State, Verdict
from matrix.stats.answer import NOTHING, Answer, answer
from matrix.stats.lengths import Lengths, lengths
from matrix.stats.looks import stated
from matrix.stats.noise import NoiseFloor
from matrix.stats.paired import Comparison, Sums, compare
from matrix.stats.point import RunPoint
from matrix.stats.reference import Reference
from matrix.stats.settings import JudgeSettings
from matrix.stats.words import Numbers, count, numbers, percent, span

MORE = {"boot": "another boot would tell", "prompts": "more prompts would tell", NOTHING: "no more may be asked for"}


def against(
    point: RunPoint,
    measured: Lengths,
    reference: Reference | None,
    boots: int,
    floor: NoiseFloor,
    settings: JudgeSettings,
) -> Verdict:
    """Healthy, degraded or suspicious-high; unknown where too few prompts are common to both, or noise hides a fall."""
    alone = numbers(after=measured.pooled(), prompts=len(measured.counters), steps=measured.steps)
    opening = f"accept length {measured.pooled():.2f} over {count(len(measured.counters), 'prompt')}"
    if reference is None:
        return _verdict(State.HEALTHY, f"{opening}; nothing earlier to compare it with", alone)
    earlier = lengths(reference.point, settings)
    unlike = _unlike(measured, earlier, settings)
    if unlike:
        return _verdict(State.HEALTHY, f"{opening}; not comparable with {reference.point.revision}: {unlike}", alone)
    common = sorted(measured.counters.keys() & earlier.counters.keys())
    if len(common) < settings.min_pairs:
        reason = f"insufficient: {count(len(common), 'prompt')} in common with {reference.point.revision}"
        return _verdict(State.UNKNOWN, f"{reason}, at least {settings.min_pairs} are needed", alone)
    sums = (
        Sums(*earlier.tokens_and_steps(common), reference.boots),
        Sums(*measured.tokens_and_steps(common), boots),
    )
    return _paired(point, reference, common, sums, floor, settings)


def _unlike(measured: Lengths, earlier: Lengths, settings: JudgeSettings) -> str:
    """Why the reference can never be compared with; the newer revision then starts anew."""
    if measured.visible != earlier.visible:
        return "one has draft counters, the other only visible tokens"
    if len(earlier.counters) < settings.min_pairs <= len(measured.counters):
        return f"it has only {count(len(earlier.counters), 'prompt')}"
    return ""


def _paired(
    point: RunPoint,
    reference: Reference,
    common: list[str],
    sums: tuple[Sums, Sums],
    floor: NoiseFloor,
    settings: JudgeSettings,
) -> Verdict:
    before, after = sums
    boots = (before.boots, after.boots)
    plain = compare(before, after, floor, confidence=settings.confidence, resolution=settings.resolution)
    found = stated(plain, boots, len(reference.revisions), floor, settings)
    told = answer(found, floor, boots, settings, relevant=settings.relevant, caught=settings.caught)
    looping = _newly_looping(point, reference.point, common)
    many = looping >= settings.loop_share * len(common)
    state, remark = _state(found, told, looping if many else 0, reference, settings)
    values = (float(before.tokens.sum() / before.steps.sum()), float(after.tokens.sum() / after.steps.sum()))
    figures = f"{_figures(found, floor, settings)}, {values[0]:.2f} -> {values[1]:.2f}"
    tail = [part for part in (remark, *_doubts(point, reference.point, state)) if part]
    reason = "; ".join([f"{figures}, against {reference.name()}", *tail])
    return _verdict(state, reason, _numbers(found, told, values, boots, floor, reference.point))


def _state(
    found: Comparison[float], told: Answer, looping: int, reference: Reference, settings: JudgeSettings
) -> tuple[State, str]:
    """Significant and relevant are two questions; both must be answered yes. An ambiguous answer settles nothing: a
    healthy series stays so unless a relevant fall is likely, a bad one is not called repaired.
    """
    if told.bad:
        return State.DEGRADED, ""
    if looping and found.change >= settings.relevant and found.p_rise < settings.alpha:
        return State.SUSPICIOUS_HIGH, f"{count(looping, 'prompt')} began to loop, which raises acceptance by itself"
    if found.change <= -settings.relevant and found.p_fall < settings.doubt:
        return State.UNKNOWN, f"insufficient: p = {found.p_fall:.2g}, {MORE[told.ask]}"
    open_question = f"a fall of {100 * settings.caught:.2g} % is not excluded, {MORE[told.ask]}"
    if not reference.repaired(found.low, settings.caught):
        return State.UNKNOWN, f"insufficient: not shown to be repaired, {open_question}"
    if not told.good:
        return State.HEALTHY, f"not significant, p = {found.p_fall:.2g}; {open_question}"
    return State.HEALTHY, _remark(found, settings)


def _remark(found: Comparison[float], settings: JudgeSettings) -> str:
    p = min(found.p_fall, found.p_rise)
    if p >= settings.alpha:
        return "" if found.change == 0 else f"not significant, p = {p:.2g}"
    return f"not relevant, below {100 * settings.relevant:g} %" if abs(found.change) < settings.relevant else ""


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


def _figures(found: Comparison[float], floor: NoiseFloor, settings: JudgeSettings) -> str:
    interval = f"{100 * settings.confidence:g} % interval {span(found.low, found.high)}"
    noise = f"noise of a boot {100 * floor.boot**0.5:.2g} %"
    return f"{percent(found.change)} over {count(found.pairs, 'paired prompt')} ({interval}, {noise})"


def _numbers(
    found: Comparison[float],
    told: Answer,
    values: tuple[float, float],
    boots: tuple[int, int],
    floor: NoiseFloor,
    reference: RunPoint,
) -> Numbers:
    return numbers(
        before=values[0],
        after=values[1],
        change=found.change,
        low=found.low,
        high=found.high,
        pairs=found.pairs,
        p_fall=float(f"{found.p_fall:.3g}"),
        p_rise=float(f"{found.p_rise:.3g}"),
        q=None,
        noise=floor.boot**0.5,
        noise_df=floor.df,
        boots_before=boots[0],
        boots_after=boots[1],
        ask=told.ask,
        reference=reference.revision,
        reference_run=reference.run_id,
    )


def _verdict(state: State, reason: str, values: Numbers) -> Verdict:
    return Verdict(Metric.ACCEPT_LENGTH, state, reason, values)
