"""The interval of a comparison that could have ended at an earlier look."""

import numpy as np
import pytest

from matrix.stats.looks import stated
from matrix.stats.noise import UNMEASURED, NoiseFloor, with_prior
from matrix.stats.paired import Comparison, Sums, compare
from matrix.stats.settings import DEFAULTS
from tests.stats.build import RECORDED

LENGTHS = np.array(RECORDED * 4)
NOISY = NoiseFloor(0.02**2, 0.0, 40)


def plain(change: float, boots: tuple[int, int], floor: NoiseFloor = NOISY) -> Comparison[float]:
    """Every prompt moved by `change`, alternately a percent more and less."""
    steps = np.full(len(LENGTHS), 500.0)
    wobble = np.where(np.arange(len(LENGTHS)) % 2, 1.01, 0.99)
    before, after = (
        Sums(value * steps * n, steps * n, n)
        for value, n in zip((LENGTHS, LENGTHS * (1 + change) * wobble), boots, strict=True)
    )
    return compare(before, after, floor, confidence=DEFAULTS.confidence, resolution=DEFAULTS.resolution)


def ends(
    change: float, boots: tuple[int, int], floor: NoiseFloor = NOISY, began: int = 1
) -> tuple[Comparison[float], Comparison[float]]:
    found = plain(change, boots, floor)
    return found, stated(found, boots, began, floor, DEFAULTS)


@pytest.mark.parametrize("boots", [(1, 1), (8, 1)])
def test_one_look_has_the_plain_interval(boots: tuple[int, int]) -> None:
    found, told = ends(-0.04, boots)
    assert (told.low, told.high) == (found.low, found.high)


def test_boots_without_noise_change_nothing() -> None:
    found, told = ends(-0.04, (8, 8), NoiseFloor(0.0, 0.0, 40))
    assert (told.low, told.high) == pytest.approx((found.low, found.high), abs=1e-4)


def test_a_fall_that_just_became_clear_may_be_smaller_than_it_looks() -> None:
    """It was not clear with half the boots, so the estimate is likely a little too low: the upper end moves up."""
    found, told = ends(-0.055, (16, 16))
    assert told.low < found.change < told.high
    assert told.high > found.high + 0.002


def test_only_the_interval_is_another_one() -> None:
    found, told = ends(-0.05, (16, 16))
    assert [getattr(told, name) == getattr(found, name) for name in ("change", "p_fall", "error", "df")] == [True] * 4


def test_boots_that_no_open_answer_asked_for_have_the_plain_interval() -> None:
    """Half of the length gone is clear at one boot a side; sixteen were made for another reason."""
    found, told = ends(-0.5, (16, 16))
    assert (told.low, told.high) == pytest.approx((found.low, found.high), abs=0.002)


def test_what_was_assumed_before_boots_were_bought_does_not_widen_their_interval() -> None:
    quiet = NoiseFloor(0.002**2, 0.0, 2)
    guarded = with_prior(quiet, UNMEASURED, assumed=0.015, least_df=4, most_df=12)
    found, told = ends(0.0, (2, 2), guarded)
    assert told.high - told.low < 0.7 * (found.high - found.low)
    assert (told.low, told.high) == pytest.approx(
        (ends(0.0, (2, 2), quiet)[1].low, ends(0.0, (2, 2), quiet)[1].high), abs=1e-9
    )


def test_a_reference_of_many_boots_was_there_at_the_first_look() -> None:
    """The wide first look of single boots is none where the reference began with eight."""
    _, single = ends(-0.045, (8, 8))
    _, pooled = ends(-0.045, (8, 8), began=8)
    assert single.low < single.high and pooled.low < pooled.high
    assert (single.low, single.high) != (pooled.low, pooled.high)


@pytest.mark.parametrize("boots", [(2, 2), (3, 3), (2, 9), (9, 2), (28, 28), (40, 40)])
@pytest.mark.parametrize("change", [-0.9, -0.05, 0.0, 0.05, 3.0])
def test_any_boots_and_any_change_give_an_interval(boots: tuple[int, int], change: float) -> None:
    _, told = ends(change, boots)
    assert -1 <= told.low < told.high and np.isfinite(told.high)
