"""Words that a sample carries when its numbers deserve a second look."""

from dataclasses import dataclass

from matrix.core.counters import Counters, accept_length
from matrix.core.spec import SpecConfig

NO_COUNTERS = "no-counters"
COUNTERS_LATE = "counters-late"
COUNTERS_DISAGREE = "counters-disagree"
FOREIGN_TRAFFIC = "foreign-traffic"
SHORT = "short"
ABOVE_K = "above-k"
EXACTLY_ONE = "exactly-one"
EXACTLY_MAX = "exactly-max"
NO_LOGPROBS = "no-logprobs"

TAINTED = frozenset({COUNTERS_LATE, FOREIGN_TRAFFIC})
"""Flags of samples whose scraped counters are not of their own request alone."""

_DISAGREE = 0.01


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, what was generated (tokens), and whether the counters caught up with it."""

    spec: SpecConfig
    tokens: int
    generated: int
    settled: bool = True


def sample_flags(asked: Asked, value: Counters, grown: Counters, *, compare: bool) -> tuple[str, ...]:
    """Flags of one sample: `value` is its counters, `grown` the difference of the scrapes around it.

    `compare` is True when the two come from different sources and should agree.
    """
    flags = [SHORT] if asked.generated < asked.tokens * value.requests else []
    flags += _traffic_flags(asked, grown)
    if compare and not TAINTED & set(flags) and _differ(value, grown):
        flags.append(COUNTERS_DISAGREE)
    return tuple(flags + ([] if asked.spec.is_baseline else _value_flags(asked.spec, value)))


def _traffic_flags(asked: Asked, grown: Counters) -> list[str]:
    if not asked.settled:
        return [COUNTERS_LATE]
    return [FOREIGN_TRAFFIC] if (grown.completion_tokens or 0) > asked.generated else []


def _value_flags(spec: SpecConfig, value: Counters) -> list[str]:
    length = accept_length(value, draftless=spec.method.counts_draftless_steps)
    if length is None:
        return [NO_COUNTERS] if value.steps is None else []
    k = spec.k if spec.k is not None else value.per_position and len(value.per_position)
    if length == 1:
        return [EXACTLY_ONE] if value.steps else []  # without a single draft, one token a step is what there is
    if not k or length < k + 1:
        return []
    return [EXACTLY_MAX] if length == k + 1 else [ABOVE_K]


def _differ(value: Counters, grown: Counters) -> bool:
    ours, theirs = accept_length(value), accept_length(grown)
    return ours is not None and theirs is not None and abs(ours - theirs) > _DISAGREE * ours
