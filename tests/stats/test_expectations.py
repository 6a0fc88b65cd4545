"""Published accept lengths: the bonus token, the workload and k are set straight or said to be unknown."""

import pytest

from matrix.core.expectation import Bonus, Expectation
from matrix.stats.expectations import Compared, set_against


def compared(value: float, measured: float | None, bonus: Bonus = Bonus.YES, **more: object) -> Compared:
    said = Expectation("head", value, bonus, **({"workload": "mt-bench", "k": 3} | more))  # type: ignore[arg-type]
    return set_against(said, measured, workload="mt-bench", k=3)


def test_like_against_like() -> None:
    found = compared(3.0, 2.7)
    assert found.text == "measured 2.70, published 3 on mt-bench at k = 3, -10 %"
    assert (found.expected, found.share) == (3.0, pytest.approx(-0.1))


def test_a_value_without_the_bonus_token_gets_it() -> None:
    found = compared(2.0, 3.0, Bonus.NO)
    assert found.expected == 3.0 and "published 2 on mt-bench at k = 3 (3 with the bonus token), 0 %" in found.text


def test_below_one_the_bonus_token_cannot_be_in_it() -> None:
    assert compared(0.8, 1.8, Bonus.UNKNOWN).expected == 1.8


def test_an_unknown_bonus_gives_both_readings_and_no_figure() -> None:
    found = compared(3.0, 2.7, Bonus.UNKNOWN)
    assert (found.expected, found.share) == (None, None)
    assert found.text.endswith("-10 % if that counts the bonus token, -32 % if not: unknown")


def test_one_token_apart_is_a_matter_of_definition() -> None:
    assert (
        "one token more, as if the published value left the bonus token out" in compared(2.1, 3.1, Bonus.UNKNOWN).text
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"workload": "gsm8k"}, "other prompts (gsm8k there, mt-bench here), so only the order of size compares"),
        ({"workload": ""}, "the published workload is unknown"),
        ({"k": 7}, "k = 7 there, 3 here"),
    ],
)
def test_what_differs_is_said(more: dict[str, object], words: str) -> None:
    assert compared(3.0, 2.7, **more).text.endswith(f"; {words}")


@pytest.mark.parametrize(("value", "bonus"), [(1.02, Bonus.YES), (0.05, Bonus.NO), (0.05, Bonus.UNKNOWN)])
def test_a_broken_baseline_is_refused(value: float, bonus: Bonus) -> None:
    found = compared(value, 2.0, bonus)
    assert "refused as a reference" in found.text and (found.expected, found.share) == (None, None)


def test_nothing_measured_is_no_zero() -> None:
    found = compared(3.0, None)
    assert found.text.endswith("nothing was measured to set against it") and found.share is None
