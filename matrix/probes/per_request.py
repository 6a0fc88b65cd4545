"""Speculative counters that a response carries for its own request (vLLM >= 0.29, `metrics.speculative_decoding`)."""

from typing import Any

from matrix.core.counters import Counters


def request_counters(block: dict[str, Any] | None, completion_tokens: int) -> Counters | None:
    """Counters of one request, None where the block is absent or contradicts itself.

    `acceptance_histogram[j]` counts the verify steps that accepted exactly j drafts, so the steps that accepted at
    position p are the sum of its entries above p. The block's own averages are not used.
    """
    if block is None:
        return None
    steps, accepted = count(block.get("num_spec_steps")), count(block.get("num_accepted_draft_tokens"))
    if steps is None or accepted is None:
        return None
    histogram = counts(block.get("acceptance_histogram"))
    if histogram is not None and not _agrees(histogram, steps, accepted):
        return None
    return Counters(
        steps=steps,
        proposed=count(block.get("num_draft_tokens")),
        accepted=accepted,
        per_position=None if histogram is None else per_position(histogram),
        completion_tokens=completion_tokens,
    )


def _agrees(histogram: list[int], steps: int, accepted: int) -> bool:
    return sum(histogram) == steps and sum(j * n for j, n in enumerate(histogram)) == accepted


def per_position(histogram: list[int]) -> tuple[int, ...]:
    """Steps that accepted at position 0, 1, ...: the sums of the histogram's entries above it."""
    return tuple(sum(histogram[p + 1 :]) for p in range(len(histogram) - 1))


def count(value: Any) -> int | None:
    """`value` if it is a count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def counts(value: Any) -> list[int] | None:
    """`value` if it is a list of counts, not an empty one."""
    if not isinstance(value, list) or not value:
        return None
    counts = [count(item) for item in value]
    known = [n for n in counts if n is not None]
    return known if len(known) == len(counts) else None
