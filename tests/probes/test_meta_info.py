"""SGLang's counters of one request."""

from dataclasses import replace
from typing import Any

import pytest

from matrix.core.counters import Counters, accept_length, acceptance_rate, tokens_per_step
from matrix.core.recipe import OwnNames
from matrix.probes.meta_info import meta_counters, wrong_mean

NAMES = OwnNames("ct", "proposed", "correct", "histogram", "mean", positions=3)
META = {"ct": 10, "proposed": 30, "correct": 9, "histogram": [4, 3, 3], "mean": 2.1}


def test_the_histogram_gives_length_and_positions() -> None:
    counters = meta_counters(META, 21, NAMES)
    assert counters == Counters(10, 30, 9, (6, 3, 0), 10, 21)
    assert accept_length(counters) == 1.9 and acceptance_rate(counters) == 0.3


def test_accepted_drafts_stand_in_for_a_missing_histogram() -> None:
    counters = meta_counters(META, 21, replace(NAMES, histogram=""))
    assert counters == Counters(10, 30, 9, None, 10, 21)


def test_without_accepted_drafts_the_text_tells_less_the_prefills_token() -> None:
    counters = meta_counters({"ct": 10}, 21, OwnNames("ct"))
    assert counters is not None and accept_length(counters) == tokens_per_step(counters) == 2.0
    assert acceptance_rate(counters) is None


def test_a_draft_that_never_accepts_is_exactly_one_in_each_way() -> None:
    for names in (NAMES, replace(NAMES, histogram=""), OwnNames("ct")):
        counters = meta_counters({"ct": 15, "proposed": 45, "correct": 0, "histogram": [15], "mean": 1.067}, 16, names)
        assert counters is not None and accept_length(counters) == 1.0


def test_unos_floor_is_two() -> None:
    names = replace(NAMES, sure=2)
    none = meta_counters({"ct": 10, "correct": 0, "histogram": [10], "proposed": 30}, 21, names)
    some = meta_counters(META, 30, names)
    assert none is not None and accept_length(none) == 2.0 and none.per_position == (10, 0, 0, 0)
    assert some is not None and accept_length(some) == pytest.approx(2.9) and some.proposed is None


@pytest.mark.parametrize(
    "change",
    [
        {"ct": 11},
        {"ct": None},
        {"ct": True},
        {"ct": "10"},
        {"correct": 8},
        {"histogram": [4, 3, 2]},
    ],
)
def test_a_block_that_contradicts_itself_tells_nothing(change: dict[str, Any]) -> None:
    assert meta_counters(META | change, 21, NAMES) is None


def test_more_verify_steps_than_tokens_tell_no_accepted_drafts() -> None:
    counters = meta_counters({"ct": 30}, 21, OwnNames("ct"))
    assert counters is not None and counters.accepted is None and accept_length(counters) is None


def test_no_block_and_no_step() -> None:
    assert meta_counters(None, 8, NAMES) is None
    counters = meta_counters({"ct": 0, "correct": 0, "histogram": []}, 1, NAMES)
    assert counters is not None and counters.steps == 0 and accept_length(counters) is None


@pytest.mark.parametrize(
    ("mean", "wrong"),
    [
        (2.1, False),
        (2.10499, False),
        (2.0, True),
        (0, True),
        (float("nan"), True),
        (None, False),
        ("2", False),
        (True, False),
    ],
)
def test_the_engines_own_mean_is_compared(mean: Any, wrong: bool) -> None:
    assert wrong_mean(META | {"mean": mean}, 21, NAMES) is wrong
    assert not wrong_mean(META | {"mean": mean}, 21, replace(NAMES, reported=""))
