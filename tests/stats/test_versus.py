"""Two cells side by side: the change, and how many times its noise it is."""

import math

import pytest

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric
from matrix.stats.boots import revisions
from matrix.stats.floors import Floors
from matrix.stats.judge import judge_series
from matrix.stats.noise import UNMEASURED, NoiseFloor
from matrix.stats.point import RunPoint
from matrix.stats.settings import DEFAULTS
from matrix.stats.versus import Versus, versus
from tests.stats.build import ended, scaled, served

LENGTH, SPEED = Metric.ACCEPT_LENGTH, Metric.SPEED
QUIET: Floors = {LENGTH: NoiseFloor(1e-6, 0.0, 30), SPEED: NoiseFloor(1e-6, 0.0, 30)}
FAST = {f"p{i:02}": 40.0 for i in range(16)}


def set_against(before: RunPoint, after: RunPoint, metric: Metric = LENGTH, floors: Floors = QUIET) -> Versus:
    return versus(metric, revisions([before])[0], revisions([after])[0], floors, DEFAULTS)


def test_the_change_is_over_common_prompts_and_swapping_sides_turns_it_around() -> None:
    found = set_against(served("1"), served("2", scaled(0.9)))
    assert found.before and found.after and found.change == pytest.approx(found.after / found.before - 1)
    assert found.pairs == 16 and found.why == "" and found.p is not None and found.p < 1e-6
    back = set_against(served("2", scaled(0.9)), served("1"))
    assert back.multiple == pytest.approx(found.multiple)
    assert math.log1p(back.change or 0) == pytest.approx(-math.log1p(found.change or 0))


def test_more_noise_between_boots_is_a_smaller_multiple() -> None:
    sides = served("1"), served("2", scaled(0.95))
    loud = set_against(*sides, floors={**QUIET, LENGTH: NoiseFloor(0.01, 0.0, 30)})
    quiet = set_against(*sides)
    assert quiet.multiple and loud.multiple and loud.multiple < quiet.multiple / 5
    assert loud.change == quiet.change


def test_the_judge_and_the_comparison_give_one_change() -> None:
    points = [served("1"), served("2", scaled(0.9))]
    judged = dict(judge_series(points).revisions[1].verdict(LENGTH).numbers)["change"]
    assert set_against(*points).change == pytest.approx(judged, abs=1e-6)


def test_a_side_that_crashed_or_is_a_baseline_has_no_accept_length() -> None:
    crashed = set_against(served("1"), ended("2", Outcome.LOAD_CRASH))
    assert (crashed.after, crashed.change, crashed.why) == (None, None, "not measured after")
    assert crashed.before is not None
    baseline = set_against(served("1", method=Method.NONE), served("2", method=Method.NONE))
    assert (baseline.before, baseline.after) == (None, None)


def test_too_few_common_prompts_are_said_and_nothing_is_divided() -> None:
    found = set_against(served("1", [2.0] * 4), served("2", [1.5] * 4))
    assert found.change is None and found.multiple is None
    assert found.why == "4 prompts in common, at least 5 are needed"
    assert (found.before, found.after) == (2.0, 1.5)


def test_speed_has_a_change_but_no_multiple_where_its_noise_is_unknown() -> None:
    slow = dict.fromkeys(FAST, 20.0)
    sides = served("1", tok_s=FAST), served("2", tok_s=slow)
    found = set_against(*sides, metric=SPEED, floors={**QUIET, SPEED: UNMEASURED})
    assert found.change == pytest.approx(-0.5) and found.multiple is None and "not measured" in found.why
    told = set_against(*sides, metric=SPEED)
    assert told.multiple and told.multiple > 3 and told.change == pytest.approx(-0.5)


def test_prompts_of_one_side_alone_stay_visible() -> None:
    found = set_against(served("1", [2.0] * 6), served("2", [2.0] * 5))
    assert [(p.after, p.change) for p in found.prompts][-1] == (None, None)
    assert len(found.prompts) == 6 and found.pairs == 5


def test_output_has_no_figure() -> None:
    with pytest.raises(ValueError, match="no figure"):
        set_against(served("1"), served("2"), metric=Metric.OUTPUT)
