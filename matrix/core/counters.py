"""Raw counters of speculative decoding, and the only place that divides them.

Accept length is 1 + accepted / steps over untrimmed counters, the bonus token included, so it lies in [1, k + 1]
(the definition of vLLM's `SpecDecodingLogging` since 0.9); `bounds` has the exception. For methods whose steps may
carry no draft (n-gram, suffix) the engine counts only the steps with one; there the value is
(completion tokens - 1) / decode steps, the first token coming from the prefill.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counters:
    """Sums over one prompt or many. None means the engine did not tell; zero means it told zero."""

    steps: int | None = None
    proposed: int | None = None
    accepted: int | None = None
    per_position: tuple[int, ...] | None = None
    decode_steps: int | None = None
    completion_tokens: int | None = None
    requests: int = 1


def accept_length(counters: Counters, *, draftless: bool = False) -> float | None:
    """Mean tokens a verify step yields, bonus included; None where no counter allows it."""
    if draftless:
        return tokens_per_step(counters)
    if counters.accepted is None or not counters.steps:
        return None
    return 1 + counters.accepted / counters.steps


def bounds(k: int, sure: int = 1) -> tuple[int, int]:
    """The least and the most tokens that a verify step can yield: `sure` ones whatever the draft, and k drafts.

    One token is sure, the bonus; with SGLang's UNO two are, the bonus and its clean root.
    """
    return sure, sure + k


def tokens_per_step(counters: Counters) -> float | None:
    """(completion tokens - one per request) / decode steps: visible tokens, the cross-check of `accept_length`."""
    if counters.completion_tokens is None or not counters.decode_steps:
        return None
    return (counters.completion_tokens - counters.requests) / counters.decode_steps


def acceptance_rate(counters: Counters) -> float | None:
    """Accepted / proposed drafts, bonus excluded; None where either is unknown or nothing was proposed."""
    if counters.accepted is None or not counters.proposed:
        return None
    return counters.accepted / counters.proposed


def position_rates(counters: Counters) -> tuple[float, ...] | None:
    """Share of verify steps whose draft was accepted at position 0, 1, ... k-1 (unconditional)."""
    if counters.per_position is None or not counters.steps:
        return None
    return tuple(n / counters.steps for n in counters.per_position)


def combine(parts: Iterable[Counters]) -> Counters:
    """Field-wise sum. One unknown part makes that field of the sum unknown: a partial sum would mislead.

    A part of no request (`requests` 0) adds nothing, so the sum of nothing is neutral.
    """
    items = [part for part in parts if part.requests]
    if not items:
        return Counters(requests=0)
    if len(items) == 1:
        return items[0]
    return Counters(
        steps=_sum([c.steps for c in items]),
        proposed=_sum([c.proposed for c in items]),
        accepted=_sum([c.accepted for c in items]),
        per_position=_sum_positions([c.per_position for c in items]),
        decode_steps=_sum([c.decode_steps for c in items]),
        completion_tokens=_sum([c.completion_tokens for c in items]),
        requests=sum([c.requests for c in items]),
    )


def subtract(after: Counters, before: Counters) -> Counters:
    """Field-wise difference of two cumulative readings; a field that fell (a restarted counter) becomes unknown."""
    return Counters(
        steps=_minus(after.steps, before.steps),
        proposed=_minus(after.proposed, before.proposed),
        accepted=_minus(after.accepted, before.accepted),
        per_position=_minus_positions(after.per_position, before.per_position),
        decode_steps=_minus(after.decode_steps, before.decode_steps),
        completion_tokens=_minus(after.completion_tokens, before.completion_tokens),
        requests=max(after.requests - before.requests, 0),
    )


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _sum_positions(rows: list[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    known = [row for row in rows if row is not None]
    if not known or len(known) != len(rows):
        return None
    width = max(len(row) for row in known)
    return tuple(sum(row[i] if i < len(row) else 0 for row in known) for i in range(width))


def _minus(after: int | None, before: int | None) -> int | None:
    if after is None:
        return None
    difference = after - (before or 0)
    return difference if difference >= 0 else None


def _minus_positions(after: tuple[int, ...] | None, before: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if after is None:
        return None
    earlier = before or ()
    row = [n - (earlier[i] if i < len(earlier) else 0) for i, n in enumerate(after)]
    return tuple(row) if all(n >= 0 for n in row) else None
