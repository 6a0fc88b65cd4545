"""The false-flag rate, from boots of one revision."""

import numpy as np
import pytest

from matrix.core.outcome import Outcome
from matrix.core.state import Metric
from matrix.stats.false_flags import FalseFlags, called, counted
from matrix.stats.judge import NO_SIBLINGS
from matrix.stats.settings import DEFAULTS
from tests.stats.build import RECORDED, ended, scaled, served


def test_equal_boots_are_compared_and_not_called() -> None:
    boots = [served("1", boot=n) for n in range(4)]
    assert called(boots, DEFAULTS, NO_SIBLINGS) == [(Metric.ACCEPT_LENGTH, False)] * 2


def test_a_boot_that_fell_is_called_and_one_that_rose_is_not() -> None:
    low = served("1", scaled(0.7), boot=1)
    assert called([served("1"), low], DEFAULTS, NO_SIBLINGS) == [(Metric.ACCEPT_LENGTH, True)]
    assert called([low, served("1", boot=2)], DEFAULTS, NO_SIBLINGS) == [(Metric.ACCEPT_LENGTH, False)]


def test_crashed_boots_and_lone_ones_are_no_comparison() -> None:
    assert called([served("1"), ended("1", Outcome.LOAD_CRASH, boot=1)], DEFAULTS, NO_SIBLINGS) == []
    assert called([served("1")], DEFAULTS, NO_SIBLINGS) == []


def test_the_bound_is_the_rule_of_three_where_nothing_was_called() -> None:
    (length, speed) = counted([(Metric.ACCEPT_LENGTH, False)] * 300)
    assert (length.comparisons, length.flags, length.rate) == (300, 0, 0.0)
    assert length.upper == pytest.approx(1 - 0.05 ** (1 / 300))
    assert (speed.comparisons, speed.rate, speed.upper) == (0, None, None)
    assert FalseFlags(Metric.SPEED, 2, 2).upper == 1.0


def test_noisy_prompts_without_a_change_are_seldom_called() -> None:
    chance = np.random.default_rng(1)
    found = []
    for _ in range(150):
        two = [[max(v * (1 + 0.02 * chance.standard_normal()), 1.05) for v in RECORDED] for _ in range(2)]
        found += called([served("1", values, boot=n) for n, values in enumerate(two)], DEFAULTS, NO_SIBLINGS)
    (length, _) = counted(found)
    assert length.comparisons == 150 and length.flags == 0
