"""Counters that a response carries for its own request."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.core.counters import Counters, accept_length
from matrix.probes.per_request import request_counters

BLOCK = {
    "mean_acceptance_length": 99.0,
    "acceptance_histogram": [4, 3, 2, 1],
    "num_spec_steps": 10,
    "num_accepted_draft_tokens": 10,
    "num_draft_tokens": 30,
}


def test_positions_come_from_the_histogram_and_averages_are_ignored() -> None:
    counters = request_counters(BLOCK, 21)
    assert counters == Counters(10, 30, 10, (6, 3, 1), None, 21)
    assert accept_length(counters) == 2.0


def test_no_step_is_zero_steps_and_no_length() -> None:
    block = {"acceptance_histogram": [0, 0], "num_spec_steps": 0, "num_accepted_draft_tokens": 0, "num_draft_tokens": 0}
    counters = request_counters(block, 8)
    assert counters is not None and counters.steps == 0 and accept_length(counters) is None


@pytest.mark.parametrize(
    "change",
    [
        {"num_spec_steps": 11},
        {"num_accepted_draft_tokens": 9},
        {"num_spec_steps": None},
        {"num_spec_steps": True},
        {"num_accepted_draft_tokens": -1},
        {"num_accepted_draft_tokens": "10"},
    ],
)
def test_a_block_that_contradicts_itself_tells_nothing(change: dict[str, Any]) -> None:
    assert request_counters(BLOCK | change, 21) is None


@pytest.mark.parametrize("histogram", [None, [], "4321", [1, None]])
def test_without_a_histogram_positions_are_unknown(histogram: Any) -> None:
    counters = request_counters(BLOCK | {"acceptance_histogram": histogram}, 21)
    assert counters == Counters(10, 30, 10, None, None, 21)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=9))
def test_positions_fall_and_add_up(histogram: list[int]) -> None:
    accepted = sum(j * n for j, n in enumerate(histogram))
    block = {"acceptance_histogram": histogram, "num_spec_steps": sum(histogram), "num_accepted_draft_tokens": accepted}
    counters = request_counters(block, 1)
    assert counters is not None and counters.per_position is not None
    assert sum(counters.per_position) == accepted
    assert list(counters.per_position) == sorted(counters.per_position, reverse=True)
