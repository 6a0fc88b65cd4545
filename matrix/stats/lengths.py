"""Accept lengths of one revision: a value a prompt, the pooled value, and an upper bound."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scipy.special import gammaincinv, stdtrit

from matrix.core.counters import Counters, accept_length, combine
from matrix.stats.point import RunPoint
from matrix.stats.settings import JudgeSettings


@dataclass(frozen=True, slots=True)
class Lengths:
    """Counters of the prompts that allow a value.

    `visible` is True when the value is visible tokens per decode step (n-gram, suffix, and engines without draft
    counters), False when it is 1 + accepted / verify steps. The two are never compared with each other.
    """

    counters: Mapping[str, Counters]
    visible: bool

    def value(self, prompt: str) -> float:
        return _length(self.counters[prompt], self.visible)

    def pooled(self, prompts: Iterable[str] | None = None) -> float:
        """Accept length of the summed counters of `prompts` (default all); at least one is needed."""
        chosen = self.counters if prompts is None else prompts
        return _length(combine(self.counters[p] for p in chosen), self.visible)

    @property
    def rows(self) -> list[tuple[int, int]]:
        """Per prompt: tokens beyond one a step, steps."""
        return [_row(c, self.visible) for c in self.counters.values()]

    @property
    def steps(self) -> int:
        return sum(steps for _, steps in self.rows)

    @property
    def accepted(self) -> int:
        return sum(extra for extra, _ in self.rows)


def lengths(point: RunPoint, settings: JudgeSettings) -> Lengths:
    """The value that the method calls for; without draft counters the visible tokens stand in, for all prompts."""
    drafted = drafted_lengths(point, settings)
    if drafted.counters and not point.method.counts_draftless_steps:
        return drafted
    return _usable(point, settings, visible=True)


def drafted_lengths(point: RunPoint, settings: JudgeSettings) -> Lengths:
    """Values over the steps that carried a draft."""
    return _usable(point, settings, visible=False)


def upper_bound(rows: list[tuple[int, int]], confidence: float) -> float:
    """One-sided upper bound of the accept length: the larger of two.

    Prompts as clusters: ratio estimator, t with prompts - 1 degrees of freedom. Counts: Poisson for the accepted
    drafts, which is the rule of three when none was accepted, and keeps prompts that agree by chance from looking sure.
    """
    steps = sum(s for _, s in rows)
    extra = max(sum(e for e, _ in rows), 0)
    poisson = float(gammaincinv(extra + 1, confidence)) / steps
    if len(rows) < 2:
        return 1 + poisson
    n, rate = len(rows), extra / steps
    spread = sum((e - rate * s) ** 2 for e, s in rows)
    error = math.sqrt(spread * n / (n - 1)) / steps
    return 1 + max(poisson, rate + float(stdtrit(n - 1, confidence)) * error)


def _usable(point: RunPoint, settings: JudgeSettings, *, visible: bool) -> Lengths:
    kept = {}
    for prompt, counters in point.prompts.items():
        if settings.tainted.intersection(point.flags.get(prompt, ())):
            continue
        value = accept_length(counters, draftless=visible)
        if value is not None and math.isfinite(value) and value > 0:
            kept[prompt] = counters
    return Lengths(kept, visible)


def _length(counters: Counters, visible: bool) -> float:
    value = accept_length(counters, draftless=visible)
    if value is None:
        raise ValueError("these counters allow no accept length")
    return value


def _row(counters: Counters, visible: bool) -> tuple[int, int]:
    if visible:
        steps = counters.decode_steps or 0
        return (counters.completion_tokens or 0) - counters.requests - steps, steps
    return counters.accepted or 0, counters.steps or 0
