"""Accept lengths of one revision: a value a prompt, the pooled value, and an upper bound."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, stdtrit

from matrix.core.counters import Counters, accept_length, combine
from matrix.stats.noise import Array
from matrix.stats.point import RunPoint
from matrix.stats.settings import JudgeSettings

_MOST = 10**15
"""Steps above which a counter is nonsense; sums of smaller ones are exact in floating point."""
_BEYOND = 10**18
"""Above this a number was never counted by anything, so the whole run is not believed."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Counters of the prompts that allow a value, and that value; `rows` holds a prompt's tokens beyond one a step and
    its steps, `accepted` and `steps` their sums.

    `visible` is True when the value is visible tokens per decode step (n-gram, suffix, and engines without draft
    counters), False when it is 1 + accepted / verify steps. The two are never compared with each other.
    """

    counters: Mapping[str, Counters]
    values: Mapping[str, float]
    rows: Sequence[tuple[int, int]]
    accepted: int
    steps: int
    visible: bool

    def pooled(self, prompts: Iterable[str] | None = None) -> float:
        """Accept length of the summed counters of `prompts` (default all); at least one is needed."""
        chosen = self.counters if prompts is None else prompts
        value = accept_length(combine(self.counters[p] for p in chosen), draftless=self.visible)
        if value is None:
            raise ValueError("at least one prompt is needed")
        return value

    def tokens_and_steps(self, prompts: Sequence[str]) -> tuple[Array, Array]:
        """Tokens and steps of each of `prompts`, a request; their ratio is the prompt's value.

        A prompt that fewer boots answered weighs as much as the others, so that both sides of a comparison weigh alike.
        """
        rows = np.array([_row(self.counters[p], self.visible) for p in prompts], dtype=np.float64)
        rows /= np.array([[self.counters[p].requests] for p in prompts])
        return rows[:, 0] + rows[:, 1], rows[:, 1]


def lengths(point: RunPoint, settings: JudgeSettings) -> Lengths:
    """The value that the method calls for; without draft counters the visible tokens stand in, for all prompts."""
    drafted = drafted_lengths(point, settings)
    if drafted.counters and not point.method.counts_draftless_steps:
        return drafted
    return _usable(point, settings, visible=True)


def drafted_lengths(point: RunPoint, settings: JudgeSettings) -> Lengths:
    """Values over the steps that carried a draft."""
    return _usable(point, settings, visible=False)


def upper_bound(rows: Sequence[tuple[int, int]], confidence: float) -> float:
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


def impossible(point: RunPoint) -> str:
    """The first counters of the point that no engine can have counted, in words; empty where there are none."""
    for prompt, c in point.prompts.items():
        told = (c.steps, c.proposed, c.accepted, c.decode_steps, c.completion_tokens, c.requests)
        if not all(value is None or 0 <= value <= _BEYOND for value in told):
            return (
                f"counters of {prompt} are impossible (accepted {c.accepted} of {c.proposed} drafted, {c.steps} steps,"
                f" {c.completion_tokens} tokens in {c.decode_steps})"
            )
    return ""


def _usable(point: RunPoint, settings: JudgeSettings, *, visible: bool) -> Lengths:
    kept: dict[str, Counters] = {}
    values: dict[str, float] = {}
    if impossible(point):
        return Lengths(kept, values, [], 0, 0, visible)
    for prompt, counters in point.prompts.items():
        value = accept_length(counters, draftless=visible)
        own = counters.requests > 0 and not settings.tainted.intersection(point.flags.get(prompt, ()))
        if own and value is not None and value > 0 and 0 < _row(counters, visible)[1] <= _MOST:
            kept[prompt], values[prompt] = counters, value
    rows = [_row(c, visible) for c in kept.values()]
    return Lengths(kept, values, rows, sum(e for e, _ in rows), sum(s for _, s in rows), visible)


def _row(counters: Counters, visible: bool) -> tuple[int, int]:
    if visible:
        steps = counters.decode_steps or 0
        return (counters.completion_tokens or 0) - counters.requests - steps, steps
    return counters.accepted or 0, counters.steps or 0
