"""Repeated runs of a command: when two ends differ, and what runs at a point tell."""

from math import exp

import pytest

from matrix.bisect.samples import Count, differ, log_ratio


@pytest.mark.parametrize(
    ("good", "bad", "expected"),
    [
        (Count(0, 1), Count(1, 1), True),
        (Count(1, 1), Count(1, 1), False),
        (Count(0, 1), Count(0, 1), False),
        (Count(1, 1), Count(0, 1), False),
        (Count(0, 10), Count(5, 10), True),
        (Count(0, 10), Count(2, 10), False),
        (Count(2, 10), Count(9, 10), True),
        (Count(5, 10), Count(6, 10), False),
        (Count(9, 10), Count(2, 10), False),
        (Count(0, 0), Count(1, 1), False),
    ],
)
def test_ends_differ_beyond_chance_only(good: Count, bad: Count, expected: bool) -> None:
    assert differ(good, bad) is expected


def test_the_ratio_is_that_of_the_betas_by_hand() -> None:
    """One run: P(fails) is (f + 1/2) / (n + 1) at either end."""
    good, bad = Count(1, 9), Count(6, 9)
    assert exp(log_ratio(Count(1, 1), good, bad)) == pytest.approx(6.5 / 1.5)
    assert exp(log_ratio(Count(0, 1), good, bad)) == pytest.approx(3.5 / 8.5)


def test_more_failures_are_worse_and_no_run_says_nothing() -> None:
    good, bad = Count(1, 20), Count(12, 20)
    told = [log_ratio(Count(failed, 8), good, bad) for failed in range(9)]
    assert told == sorted(told)
    assert told[0] < 0 < told[-1]
    assert log_ratio(Count(0, 0), good, bad) == 0


def test_a_failure_where_the_good_end_never_failed_weighs_by_how_often_it_ran() -> None:
    once = Count(1, 1)
    assert log_ratio(once, Count(0, 2), Count(2, 2)) < log_ratio(once, Count(0, 50), Count(50, 50))


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="part of all runs"):
        Count(2, 1)
