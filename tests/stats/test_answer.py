"""Three answers, and what is asked for where the answer is open."""

from dataclasses import replace

import pytest

from matrix.core.state import Change, Metric, State
from matrix.stats.answer import boots_wanted, level
from matrix.stats.judge import JudgeSettings, judge_series
from matrix.stats.noise import NoiseFloor
from matrix.stats.settings import DEFAULTS
from tests.stats.build import RECORDED, changes, last, scaled, served

QUIET = {Metric.ACCEPT_LENGTH: NoiseFloor(0.0, 0.0, 12)}
UNEVEN = [v * (0.86 if i % 2 else 1.02) for i, v in enumerate(RECORDED)]


def asked(values: list[float], settings: JudgeSettings = DEFAULTS, **more: object) -> tuple[State, object]:
    told = judge_series([served("1"), served("2", values)], settings, **more).revisions[-1].verdicts[0]  # type: ignore[arg-type]
    return told.state, dict(told.numbers)["ask"]


def test_where_no_noise_is_measured_a_boot_would_tell() -> None:
    assert asked(scaled(0.9)) == (State.UNKNOWN, "boot")
    assert "another boot would tell" in last([served("1"), served("2", scaled(0.9))]).reason


def test_an_open_question_without_a_likely_fall_keeps_the_state() -> None:
    assert asked(scaled(0.99)) == (State.HEALTHY, "boot")
    assert "a fall of 5 % is not excluded" in last([served("1"), served("2", scaled(0.99))]).reason


def test_where_prompts_disagree_more_prompts_would_tell() -> None:
    assert asked(UNEVEN, siblings=QUIET) == (State.UNKNOWN, "prompts")


def test_a_clear_answer_asks_for_nothing() -> None:
    assert asked(scaled(0.9), siblings=QUIET) == (State.DEGRADED, "")
    assert asked(scaled(1.0), siblings=QUIET) == (State.HEALTHY, "")


def test_at_the_caps_it_stays_open_and_says_so() -> None:
    capped = replace(DEFAULTS, max_boots=1, max_prompts=16)
    assert asked(UNEVEN, capped, siblings=QUIET) == (State.UNKNOWN, "")
    told = judge_series([served("1"), served("2", UNEVEN)], capped, QUIET).revisions[-1].verdicts[0]
    assert "no more may be asked for" in told.reason


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        ((1, 1), (2, 2)),
        ((4, 1), (4, 2)),
        ((1, 3), (2, 3)),
        ((16, 16), (28, 28)),
        ((28, 28), (28, 28)),
        ((30, 1), (30, 2)),
    ],
)
def test_the_poorer_side_doubles_its_boots(now: tuple[int, int], wanted: tuple[int, int]) -> None:
    assert boots_wanted(*now, DEFAULTS) == wanted


def test_early_looks_spend_less() -> None:
    spent = [level(boots, DEFAULTS) for boots in (1, 2, 4, 8, 16, 28, 99)]
    assert spent == sorted(spent) and spent[-1] == DEFAULTS.alpha and spent[0] == DEFAULTS.alpha * DEFAULTS.first_share


def test_a_flagged_fall_is_fixed_only_once_half_of_it_is_excluded() -> None:
    fallen = [served("1"), served("2", scaled(0.6))]
    assert changes([*fallen, served("3", scaled(0.99))]) == [Change.REGRESSION, Change.FIXED]
    doubtful = [*fallen, served("3", scaled(0.86))]
    assert changes(doubtful) == [Change.REGRESSION]
    assert last(doubtful).state is State.UNKNOWN
