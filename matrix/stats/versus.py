"""Two cells set side by side: one metric over the prompts that both answered."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from matrix.core.outcome import Tier
from matrix.core.spec import Method
from matrix.core.state import Metric
from matrix.stats.boots import Revision
from matrix.stats.floors import Floors
from matrix.stats.lengths import Lengths, lengths
from matrix.stats.noise import NoiseFloor
from matrix.stats.paired import Sums, compare
from matrix.stats.settings import JudgeSettings
from matrix.stats.speed import LEAST_DF
from matrix.stats.speeds import rates, time_and_tokens
from matrix.stats.words import count


@dataclass(frozen=True, slots=True)
class PromptPair:
    """One prompt's value on both sides; None where a side did not measure it. `change` is a share."""

    prompt: str
    before: float | None
    after: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class Versus:
    """One metric on both sides: accept length, or output tokens per second.

    `before` and `after` are pooled over the prompts that both answered, each alone where they cannot be compared; `why`
    says why not. `change` with its interval (`low`, `high`) is a share. `noise` is the standard error of
    ln(after / before), between prompts and between boots, `multiple` is |ln(after / before)| / noise and `p` two-sided;
    all three are None where the noise is unknown.
    """

    before: float | None = None
    after: float | None = None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    noise: float | None = None
    multiple: float | None = None
    p: float | None = None
    pairs: int = 0
    why: str = ""
    prompts: tuple[PromptPair, ...] = ()


def versus(metric: Metric, before: Revision, after: Revision, floors: Floors, settings: JudgeSettings) -> Versus:
    """The metric of two cells' pooled boots; `floors` is the noise between boots (`judge.with_siblings`).

    ValueError for the metric output, which has no figure.
    """
    if metric is Metric.OUTPUT:
        raise ValueError("output has states, no figure")
    rule = _speeds if metric is Metric.SPEED else _lengths
    return rule(_serving(before), _serving(after), floors[metric], settings)


def _serving(side: Revision) -> Revision | None:
    """None for a side whose boots did not come to their end: whatever it measured is no figure of the cell."""
    return side if side.point.outcome.tier is Tier.OK and not side.split else None


def _lengths(before: Revision | None, after: Revision | None, floor: NoiseFloor, settings: JudgeSettings) -> Versus:
    old, new = _measured(before, settings), _measured(after, settings)
    prompts = _pairs(old.values if old else {}, new.values if new else {})
    common = [pair.prompt for pair in prompts if pair.change is not None]
    alone = Versus(old.pooled() if old else None, new.pooled() if new else None, pairs=len(common), prompts=prompts)
    if before is None or after is None or old is None or new is None or len(common) < settings.min_pairs:
        return replace(alone, why=_too_few(alone, settings))
    if old.visible != new.visible:
        return replace(alone, why="one side has draft counters, the other only visible tokens")
    earlier = Sums(*old.tokens_and_steps(common), len(before.boots))
    return _compared(earlier, Sums(*new.tokens_and_steps(common), len(after.boots)), floor, settings, prompts)


def _measured(side: Revision | None, settings: JudgeSettings) -> Lengths | None:
    """None for a side that measured no accept length; a baseline proposes no drafts, so it has none."""
    if side is None or side.point.method is Method.NONE:
        return None
    found = lengths(side.point, settings)
    return found if found.counters else None


def _speeds(before: Revision | None, after: Revision | None, floor: NoiseFloor, settings: JudgeSettings) -> Versus:
    old, new = (rates(side.point.tok_s) if side else {} for side in (before, after))
    prompts = _pairs(old, new)
    common = [pair.prompt for pair in prompts if pair.change is not None]
    alone = Versus(_rate(before, old), _rate(after, new), pairs=len(common), prompts=prompts)
    if before is None or after is None or len(common) < settings.min_pairs:
        return replace(alone, why=_too_few(alone, settings))
    earlier = Sums(*time_and_tokens(old, before.point, common), len(before.boots))
    later = Sums(*time_and_tokens(new, after.point, common), len(after.boots))
    if floor.df >= LEAST_DF:
        return _compared(earlier, later, floor, settings, prompts)
    values = _pooled(earlier), _pooled(later)
    why = "the noise of speed between boots is not measured"
    return replace(alone, before=values[0], after=values[1], change=values[1] / values[0] - 1, why=why)


def _rate(side: Revision | None, found: Mapping[str, float]) -> float | None:
    if side is None or not found:
        return None
    return _pooled(Sums(*time_and_tokens(found, side.point, list(found))))


def _pooled(sums: Sums) -> float:
    return float(sums.tokens.sum() / sums.steps.sum())


def _compared(
    before: Sums, after: Sums, floor: NoiseFloor, settings: JudgeSettings, prompts: tuple[PromptPair, ...]
) -> Versus:
    found = compare(before, after, floor, confidence=settings.confidence, resolution=settings.resolution)
    return Versus(
        before=_pooled(before),
        after=_pooled(after),
        change=found.change,
        low=found.low,
        high=found.high,
        noise=found.error,
        multiple=abs(found.mean) / found.error,
        p=min(2 * min(found.p_fall, found.p_rise), 1.0),
        pairs=found.pairs,
        prompts=prompts,
    )


def _pairs(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[PromptPair, ...]:
    names = sorted(before.keys() | after.keys())
    return tuple(_pair(name, before.get(name), after.get(name)) for name in names)


def _pair(name: str, before: float | None, after: float | None) -> PromptPair:
    change = None if not before or after is None else after / before - 1
    return PromptPair(name, before, after, change)


def _too_few(alone: Versus, settings: JudgeSettings) -> str:
    missing = [name for name, value in (("before", alone.before), ("after", alone.after)) if value is None]
    if missing:
        return f"not measured {' and '.join(missing)}"
    return f"{count(alone.pairs, 'prompt')} in common, at least {settings.min_pairs} are needed"
