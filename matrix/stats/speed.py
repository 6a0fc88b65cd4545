"""Speed of a revision that served: judged only where its noise between boots is measured and small enough."""

from collections.abc import Mapping

from matrix.core.spec import Method
from matrix.core.state import Metric, State, Verdict
from matrix.stats.against import MORE
from matrix.stats.answer import Answer, answer
from matrix.stats.noise import NoiseFloor
from matrix.stats.paired import Comparison, Sums, compare
from matrix.stats.point import RunPoint
from matrix.stats.reference import Reference
from matrix.stats.settings import CAUGHT, JudgeSettings
from matrix.stats.speeds import rates, time_and_tokens
from matrix.stats.words import Numbers, count, numbers, percent, span

LEAST_DF = 2


def speed(
    point: RunPoint, reference: Reference | None, settings: JudgeSettings, floor: NoiseFloor, boots: int = 1
) -> Verdict:
    """Slower than its baseline, fallen against the reference (degraded), healthy; unknown where noise hides it.

    The numbers: pooled output tokens per second, of the baseline too, and the speed-up.
    """
    found, base = rates(point.tok_s), rates(point.baseline_tok_s)
    if not found:
        return _verdict(State.UNKNOWN, "no speed was measured")
    shown, values = _shown(point, found, base)
    noise = _noise(floor, settings)
    if noise:
        return _verdict(State.UNKNOWN, f"{shown}; not judged: {noise}", values)
    below = _compared(base, point, found, point, (1, boots), floor, settings)
    if below and below[1].bad:
        return _told(State.SLOWER, shown, "slower than without a draft", below, floor, values, "")
    if reference is None:
        return _verdict(State.HEALTHY, f"{shown}; nothing earlier to compare it with", values)
    earlier = rates(reference.point.tok_s)
    fell = _compared(earlier, reference.point, found, point, (reference.boots, boots), floor, settings)
    if fell is None:
        return _verdict(State.UNKNOWN, f"{shown}; insufficient: too few prompts in common", values)
    return _fallen(fell, reference, shown, floor, values, settings)


def _fallen(
    fell: "_Told",
    reference: Reference,
    shown: str,
    floor: NoiseFloor,
    values: Numbers,
    settings: JudgeSettings,
) -> Verdict:
    found, told, _ = fell
    where, revision = f"against {reference.name()}", reference.point.revision
    if told.bad:
        return _told(State.DEGRADED, shown, where, fell, floor, values, revision)
    unsure = found.change <= -settings.relevant_speed and found.p_fall < settings.doubt
    if unsure or not reference.repaired(found.low, CAUGHT * settings.relevant_speed):
        where = f"{where}; insufficient: p = {found.p_fall:.2g}, {MORE[told.ask]}"
        return _told(State.UNKNOWN, shown, where, fell, floor, values, revision)
    return _told(State.HEALTHY, shown, where, fell, floor, values, revision)


_Told = tuple[Comparison[float], Answer, tuple[int, int]]


def _compared(
    before: Mapping[str, float],
    old: RunPoint,
    after: Mapping[str, float],
    new: RunPoint,
    boots: tuple[int, int],
    floor: NoiseFloor,
    settings: JudgeSettings,
) -> _Told | None:
    common = sorted(before.keys() & after.keys())
    if len(common) < settings.min_pairs:
        return None
    sums = Sums(*time_and_tokens(before, old, common), boots[0]), Sums(*time_and_tokens(after, new, common), boots[1])
    found = compare(*sums, floor, confidence=settings.confidence, resolution=settings.resolution)
    relevant = settings.relevant_speed
    told = answer(found, floor, boots, settings, relevant=relevant, caught=min(CAUGHT * relevant, 0.99))
    return found, told, boots


def _noise(floor: NoiseFloor, settings: JudgeSettings) -> str:
    """Why speed cannot be judged; empty where it can."""
    if floor.df < LEAST_DF:
        return "the noise of speed is not measured" + (", one repeated boot is too little" if floor.df else "")
    sd = floor.variance**0.5
    least = 100 * settings.relevant_speed
    return f"its noise from boot to boot, {100 * sd:.2g} %, hides {least:g} %" if sd > settings.relevant_speed else ""


def _shown(point: RunPoint, found: Mapping[str, float], base: Mapping[str, float]) -> tuple[str, Numbers]:
    tok_s, shared = _pooled(found, point), sorted(found.keys() & base.keys())
    if not shared:
        text = f"{tok_s:.1f} tok/s over {count(len(found), 'prompt')}"
        return f"{text}, no baseline" if point.method is not Method.NONE else text, numbers(
            tok_s=tok_s, baseline_tok_s=None, speedup=None
        )
    mine, theirs = {p: found[p] for p in shared}, {p: base[p] for p in shared}
    baseline = _pooled(theirs, point)
    speedup = _pooled(mine, point) / baseline
    ratios = [mine[p] / theirs[p] for p in shared]
    low, high = min(ratios), max(ratios)
    text = (
        f"{tok_s:.1f} tok/s against {baseline:.1f} without a draft, {speedup:.2f} times "
        f"({low:.2f} to {high:.2f} over {count(len(ratios), 'prompt')})"
    )
    values = numbers(tok_s=tok_s, baseline_tok_s=baseline, speedup=speedup, low=low, high=high, pairs=len(ratios))
    return text, values


def _told(
    state: State, shown: str, where: str, fell: _Told, floor: NoiseFloor, values: Numbers, reference: str
) -> Verdict:
    found, told, boots = fell
    extra = numbers(
        change=found.change,
        low=found.low,
        high=found.high,
        pairs=found.pairs,
        p_fall=found.p_fall,
        p_rise=found.p_rise,
        q=None,
        noise=floor.boot**0.5,
        noise_df=floor.df,
        boots_before=boots[0],
        boots_after=boots[1],
        ask=told.ask,
        reference=reference or None,
    )
    reason = f"{shown}; {percent(found.change)} ({span(found.low, found.high)}) {where}"
    return _verdict(state, reason, tuple((dict(values) | dict(extra)).items()))


def _pooled(found: Mapping[str, float], point: RunPoint) -> float:
    """Total tokens over total time; prompts weigh alike where the tokens of any are not known."""
    tokens, seconds = time_and_tokens(found, point, sorted(found))
    return float(tokens.sum() / seconds.sum())


def _verdict(state: State, reason: str, values: Numbers = ()) -> Verdict:
    return Verdict(Metric.SPEED, state, reason, values)
