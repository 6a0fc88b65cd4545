"""Flags of a sample whose value lies at or beyond what a verify step can yield."""

import pytest

from matrix.core.counters import Counters
from matrix.core.spec import Method, SpecConfig
from matrix.probes.flags import Asked, sample_flags

STEPS = 10


def flags(accepted: int, *, k: int | None = 3, sure: int = 1, positions: int = 0) -> tuple[str, ...]:
    """Flags of `accepted` tokens beyond the bonus in ten steps."""
    asked = Asked(SpecConfig("s", Method.EAGLE3, None, k), 32, 32, sure=sure)
    row = (STEPS,) * positions or None
    return sample_flags(asked, Counters(STEPS, None, accepted, row), Counters(), compare=False)


@pytest.mark.parametrize(
    ("accepted", "sure", "expected"),
    [
        (0, 1, ("exactly-one",)),
        (1, 1, ()),
        (30, 1, ("exactly-max",)),
        (31, 1, ("above-k",)),
        (10, 2, ("exactly-one",)),
        (11, 2, ()),
        (31, 2, ()),
        (40, 2, ("exactly-max",)),
        (41, 2, ("above-k",)),
    ],
)
def test_bounds_follow_the_tokens_that_are_sure(accepted: int, sure: int, expected: tuple[str, ...]) -> None:
    assert flags(accepted, sure=sure) == expected


def test_without_a_k_the_counted_positions_tell_it() -> None:
    assert flags(30, k=None, positions=3) == ("exactly-max",)
    assert flags(40, k=None, sure=2, positions=4) == ("exactly-max",)
    assert flags(99, k=None) == ()


def test_no_steps_are_no_counters_or_no_draft() -> None:
    asked = Asked(SpecConfig("s", Method.EAGLE3, None, 3), 32, 32)
    assert sample_flags(asked, Counters(), Counters(), compare=False) == ("no-counters",)
    assert sample_flags(asked, Counters(0, 0, 0), Counters(), compare=False) == ()
