"""Speculative counters of one request in SGLang's `meta_info`.

What each release says is in `docs/engines.md`; the names come with the counter map. In order of trust: the histogram of
accepted drafts, their sum, and what the text shows where a release counts no accepted drafts (before 0.5.5.post3):
every token but the prefill's and one a verify step was a draft, so that the accept length becomes
(completion tokens - 1) / verify steps. What the last step accepted beyond the last token asked for is missing from it.

`spec_accept_length` is completion tokens over verify steps in every release, the token of the prefill included: a draft
that never accepts reads N / (N - 1) there. It is compared and never used.
"""

import math
from typing import Any

from matrix.core.counters import Counters
from matrix.core.recipe import OwnNames
from matrix.probes.per_request import count, counts, per_position

_ROUNDING = 0.006  # half of the second decimal, to which some releases round


def meta_counters(meta: dict[str, Any] | None, completion_tokens: int, names: OwnNames) -> Counters | None:
    """Counters of one request; None where the block is absent or contradicts itself.

    Each verify step is a decode step, with a draft or without. What a step yields besides the bonus token whatever the
    draft (`names.sure` - 1) counts as accepted at the first positions; the proposed drafts are then unknown.
    """
    steps = count(_get(meta, names.steps))
    if meta is None or steps is None:
        return None
    histogram = _histogram(meta, names, steps)
    accepted = count(_get(meta, names.accepted))
    if histogram is not None:
        total = sum(j * n for j, n in enumerate(histogram))
        if sum(histogram) != steps or accepted not in (None, total):
            return None
        accepted = total
    sure = names.sure - 1
    if accepted is None and not names.accepted:
        accepted = count(completion_tokens - 1 - steps * names.sure)
    return Counters(
        steps=steps,
        proposed=None if sure else count(_get(meta, names.proposed)),
        accepted=None if accepted is None else accepted + sure * steps,
        per_position=None if histogram is None else (steps,) * sure + _positions(histogram, names.positions),
        decode_steps=steps,
        completion_tokens=completion_tokens,
    )


def wrong_mean(meta: dict[str, Any] | None, completion_tokens: int, names: OwnNames) -> bool:
    """True when the engine's own mean is told and is not what its other numbers give."""
    reported, steps = _get(meta, names.reported), count(_get(meta, names.steps))
    if isinstance(reported, bool) or not isinstance(reported, int | float) or not steps:
        return False
    return not math.isfinite(reported) or abs(reported - completion_tokens / steps) > _ROUNDING


def _histogram(meta: dict[str, Any], names: OwnNames, steps: int) -> list[int] | None:
    """The histogram; one of no step at all is an empty list."""
    value = _get(meta, names.histogram)
    return [0] if value == [] and steps == 0 else counts(value)


def _positions(histogram: list[int], least: int) -> tuple[int, ...]:
    row = per_position(histogram)
    return row + (0,) * (least - len(row))


def _get(meta: dict[str, Any] | None, key: str) -> Any:
    return meta.get(key) if meta is not None and key else None
