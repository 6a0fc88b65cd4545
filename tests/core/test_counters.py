"""Laws of counters, held against any counters."""

import math
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.core.counters import (
    Counters,
    accept_length,
    acceptance_rate,
    bounds,
    combine,
    position_rates,
    subtract,
    tokens_per_step,
)

COUNT = st.none() | st.integers(0, 10_000)


@st.composite
def loose(draw: Callable[..., object]) -> Counters:
    """Any fields, known or not."""
    positions = draw(st.none() | st.lists(st.integers(0, 500), max_size=6).map(tuple))
    numbers = [draw(COUNT) for _ in range(5)]
    steps, proposed, accepted, decode, tokens = numbers
    return Counters(steps, proposed, accepted, positions, decode, tokens, draw(st.integers(1, 9)))  # type: ignore[arg-type]


@st.composite
def possible(draw: Callable[..., object], k: int = 4) -> Counters:
    """What an engine with k drafts a step can count: each step accepts 0 to k of them."""
    steps: list[int] = draw(st.lists(st.integers(0, k), max_size=60))  # type: ignore[assignment]
    positions = tuple(sum(n > i for n in steps) for i in range(k))
    return Counters(len(steps), k * len(steps), sum(steps), positions, len(steps), 1 + len(steps) + sum(steps))


@settings(deadline=None)
@given(st.lists(possible(), min_size=1, max_size=5))
def test_accept_length_lies_between_one_and_k_plus_one(parts: list[Counters]) -> None:
    total = combine(parts)
    length, rate, rates = accept_length(total), acceptance_rate(total), position_rates(total)
    if not total.steps:
        assert length is None and rate is None and rates is None
        return
    assert length is not None and rate is not None and rates is not None
    assert 1 <= length <= 5 and 0 <= rate <= 1
    assert math.isclose(length, 1 + sum(rates)) and math.isclose(length, 1 + 4 * rate)
    assert list(rates) == sorted(rates, reverse=True)
    assert tokens_per_step(total) is not None and math.isclose(tokens_per_step(total) or 0, length)


@settings(deadline=None)
@given(st.lists(possible(), min_size=2, max_size=5))
def test_pooled_length_lies_among_its_parts(parts: list[Counters]) -> None:
    lengths = [n for n in map(accept_length, parts) if n is not None]
    pooled = accept_length(combine(parts))
    assert (pooled is None) == (not lengths)
    if pooled is not None:
        assert min(lengths) - 1e-9 <= pooled <= max(lengths) + 1e-9


@settings(deadline=None)
@given(st.lists(loose(), max_size=6), st.integers(0, 6), st.randoms())
def test_combining_knows_neither_order_nor_grouping(parts: list[Counters], cut: int, rng: object) -> None:
    total = combine(parts)
    assert combine([combine(parts[:cut]), combine(parts[cut:])]) == total
    shuffled = list(parts)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert combine(shuffled) == total
    assert total.requests == sum(p.requests for p in parts)


@settings(deadline=None)
@given(st.lists(loose(), min_size=1, max_size=4))
def test_one_unknown_part_makes_the_sum_unknown(parts: list[Counters]) -> None:
    total = combine(parts)
    for name in ("steps", "proposed", "accepted", "per_position", "decode_steps", "completion_tokens"):
        assert (getattr(total, name) is None) == any(getattr(p, name) is None for p in parts)


@settings(deadline=None)
@given(possible(), possible())
def test_a_difference_undoes_a_sum(before: Counters, during: Counters) -> None:
    assert subtract(combine([before, during]), before) == during


@settings(deadline=None)
@given(loose(), loose())
def test_a_difference_is_never_negative(after: Counters, before: Counters) -> None:
    grown = subtract(after, before)
    for name in ("steps", "proposed", "accepted", "decode_steps", "completion_tokens"):
        later, earlier, value = (getattr(c, name) for c in (after, before, grown))
        if later is None or later < (earlier or 0):
            assert value is None
        else:
            assert value == later - (earlier or 0)
    assert grown.per_position is None or all(n >= 0 for n in grown.per_position)


def test_nothing_told_gives_no_number() -> None:
    for nothing in (Counters(), Counters(steps=0, accepted=0, proposed=0, decode_steps=0, completion_tokens=0)):
        assert accept_length(nothing) is None and accept_length(nothing, draftless=True) is None
        assert acceptance_rate(nothing) is None and tokens_per_step(nothing) is None


def test_draftless_methods_are_measured_by_visible_tokens() -> None:
    counters = Counters(steps=17, proposed=51, accepted=42, decode_steps=21, completion_tokens=64)
    assert accept_length(counters) == 1 + 42 / 17
    assert accept_length(counters, draftless=True) == 3.0


def test_a_step_yields_its_sure_tokens_and_at_most_every_draft() -> None:
    assert bounds(3) == (1, 4)
    assert bounds(3, sure=2) == (2, 5)
