"""Words that a sample carries when its numbers deserve a second look."""

from dataclasses import dataclass

from matrix.core.counters import Counters, accept_length, bounds
from matrix.core.spec import SpecConfig
from matrix.probes.sanity import GARBAGE, LOOPS

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

MEANINGS = {
    NO_COUNTERS: "nothing told how many drafts were accepted",
    COUNTERS_LATE: "the counters did not catch up with the answer in time",
    COUNTERS_DISAGREE: "two sources of the same counters differ",
    FOREIGN_TRAFFIC: "somebody else's request was counted too",
    SHORT: "fewer tokens came than were asked for",
    ABOVE_K: "more drafts were accepted than k allows",
    EXACTLY_ONE: "no draft was accepted",
    EXACTLY_MAX: "every draft was accepted",
    NO_LOGPROBS: "no log-probabilities, so the output cannot be compared",
    LOOPS: "the text repeats itself where the baseline's does not",
    GARBAGE: "the text is blank or unreadable",
}
"""What each flag of a sample says, the same on every page."""

_DISAGREE = 0.01


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, what was generated (tokens), and whether the counters caught up with it.

    `sure` is how many tokens a verify step yields whatever the draft (`matrix.core.recipe.OwnNames`).
    """

    spec: SpecConfig
    tokens: int
    generated: int
    settled: bool = True
    sure: int = 1


def sample_flags(asked: Asked, value: Counters, grown: Counters, *, compare: bool) -> tuple[str, ...]:
    """Flags of one sample: `value` is its counters, `grown` the difference of the scrapes around it.

    `compare` is True when the two come from different sources and should agree.
    """
    flags = [SHORT] if asked.generated < asked.tokens * value.requests else []
    flags += _traffic_flags(asked, grown)
    if compare and not TAINTED & set(flags) and _differ(value, grown):
        flags.append(COUNTERS_DISAGREE)
    return tuple(flags + ([] if asked.spec.is_baseline else _value_flags(asked.spec, asked.sure, value)))


def _traffic_flags(asked: Asked, grown: Counters) -> list[str]:
    if not asked.settled:
        return [COUNTERS_LATE]
    return [FOREIGN_TRAFFIC] if (grown.completion_tokens or 0) > asked.generated else []


def _value_flags(spec: SpecConfig, sure: int, value: Counters) -> list[str]:
    """Flags of the accept length; `exactly-one` is the least there is: nothing of any draft was accepted."""
    length = accept_length(value, draftless=spec.method.counts_draftless_steps)
    if length is None:
        return [NO_COUNTERS] if value.steps is None else []
    least, most = bounds(_k(spec, sure, value), sure)
    if length == least:
        return [EXACTLY_ONE] if value.steps else []  # without a single draft, one token a step is what there is
    if most == least or length < most:
        return []
    return [EXACTLY_MAX] if length == most else [ABOVE_K]


def _k(spec: SpecConfig, sure: int, value: Counters) -> int:
    """As asked, else by the positions that were counted, the sure ones among them; 0 where neither is known."""
    return spec.k if spec.k is not None else max(len(value.per_position or ()) - (sure - 1), 0)


def _differ(value: Counters, grown: Counters) -> bool:
    ours, theirs = accept_length(value), accept_length(grown)
    return ours is not None and theirs is not None and abs(ours - theirs) > _DISAGREE * ours
