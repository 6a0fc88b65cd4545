"""Speed of a revision that served: shown, and not judged before its noise is measured."""

import math
from collections.abc import Mapping

from matrix.core.state import Metric, State, Verdict
from matrix.stats.point import RunPoint
from matrix.stats.words import count, numbers

NOT_JUDGED = "not judged: the noise of speed is not measured"


def speed(point: RunPoint) -> Verdict:
    """Always unknown; the numbers: pooled output tokens per second, and the speed-up with its extremes over prompts."""
    rates, base = _usable(point.tok_s), _usable(point.baseline_tok_s)
    if not rates:
        return Verdict(Metric.SPEED, State.UNKNOWN, "no speed was measured")
    tok_s = _pooled(rates, point)
    shared = sorted(rates.keys() & base.keys())
    if not shared:
        reason = f"{tok_s:.1f} tok/s over {count(len(rates), 'prompt')}, no baseline; {NOT_JUDGED}"
        return Verdict(Metric.SPEED, State.UNKNOWN, reason, numbers(tok_s=tok_s, baseline_tok_s=None, speedup=None))
    return _with_baseline(point, tok_s, {p: rates[p] for p in shared}, {p: base[p] for p in shared})


def _with_baseline(point: RunPoint, tok_s: float, rates: dict[str, float], base: dict[str, float]) -> Verdict:
    baseline = _pooled(base, point)
    speedup = _pooled(rates, point) / baseline
    ratios = [rates[p] / base[p] for p in rates]
    low, high = min(ratios), max(ratios)
    reason = (
        f"{tok_s:.1f} tok/s against {baseline:.1f} without a draft, {speedup:.2f} times "
        f"({low:.2f} to {high:.2f} over {count(len(ratios), 'prompt')}); {NOT_JUDGED}"
    )
    values = numbers(tok_s=tok_s, baseline_tok_s=baseline, speedup=speedup, low=low, high=high, pairs=len(ratios))
    return Verdict(Metric.SPEED, State.UNKNOWN, reason, values)


def _usable(rates: Mapping[str, float]) -> dict[str, float]:
    return {prompt: rate for prompt, rate in rates.items() if math.isfinite(rate) and rate > 0}


def _pooled(rates: Mapping[str, float], point: RunPoint) -> float:
    """Total tokens over total time; prompts weigh alike where the tokens of any are not known."""
    told = [point.prompts[p].completion_tokens if p in point.prompts else None for p in rates]
    tokens = [t or 0 for t in told] if all(told) else [1] * len(rates)
    return sum(tokens) / sum(t / rate for t, rate in zip(tokens, rates.values(), strict=True))
