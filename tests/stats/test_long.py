"""Long series: steps, spikes and slides."""

import numpy as np
import pytest

from matrix.core.outcome import Outcome
from matrix.core.state import Change, Metric, State
from matrix.stats.judge import RunPoint, judge_series
from tests.stats.build import RECORDED, changes, ended, served, states


def series(factors: list[float], noise: float = 0.004, boots: int = 1) -> list[RunPoint]:
    """Each revision's boots around RECORDED x its factor; all prompts of a boot move together."""
    rng = np.random.default_rng(7)
    drawn = [(i, f, b) for i, f in enumerate(factors) for b in range(boots)]
    return [
        served(f"{i:03}", [v * f * np.exp(noise * rng.standard_normal()) for v in RECORDED], run_id=f"{i}/{b}", boot=b)
        for i, f, b in drawn
    ]


def bad(points: list[RunPoint]) -> list[str]:
    return [revision for revision, state in states(judge_series(points)).items() if state.bad]


def test_a_step_too_small_for_single_boots_is_dated_at_its_first_revision() -> None:
    points = series([1.0] * 20 + [0.94] * 10)
    assert bad(points) == [f"{i:03}" for i in range(20, 30)]
    judgement = judge_series(points)
    assert [(f.change, f.after_revision) for f in judgement.flips] == [(Change.REGRESSION, "020")]
    assert "a step over 10 revisions" in judgement.flips[0].reason


@pytest.mark.parametrize("place", [15, 29])
def test_one_low_boot_does_not_flip_and_asks_for_another(place: int) -> None:
    points = series([1.0 if i != place else 0.6 for i in range(30)])
    judgement = judge_series(points)
    told = judgement.revisions[place].verdict(Metric.ACCEPT_LENGTH)
    assert judgement.flips == () and bad(points) == []
    assert told.state is State.UNKNOWN and dict(told.numbers)["ask"] == "boot"


def test_a_second_boot_confirms_a_low_revision_at_once() -> None:
    points = series([1.0] * 29)
    low = [served("029", [v * 0.6 for v in RECORDED], run_id=f"29/{b}", boot=b) for b in range(2)]
    assert bad([*points, *low]) == ["029"]


def test_in_a_short_series_one_low_boot_counts() -> None:
    assert bad(series([1.0] * 5 + [0.6])) == ["005"]


@pytest.mark.parametrize("end", [Outcome.LOAD_CRASH, None])
def test_a_crash_and_a_collapse_flip_at_once(end: Outcome | None) -> None:
    points = series([1.0] * 29)
    newest = ended("029", end) if end else served("029", [1.0] * 16)
    assert changes([*points, newest]) == [Change.REGRESSION]


def test_a_repaired_step_is_fixed_once() -> None:
    assert changes(series([1.0] * 15 + [0.9] * 8 + [1.0] * 8)) == [Change.REGRESSION, Change.FIXED]


def test_a_slide_in_steps_that_matter_only_together_is_found() -> None:
    factors = [1.0] * 15 + [0.98] * 15 + [0.96] * 15 + [0.94] * 15
    found = bad(series(factors, noise=0.002))
    assert found and set(found) <= {f"{i:03}" for i in range(30, 60)} and "045" in found


def test_noise_alone_flips_nothing() -> None:
    assert judge_series(series([1.0] * 60, noise=0.02)).flips == ()


def test_revisions_that_say_nothing_do_not_end_a_stretch() -> None:
    points = series([1.0] * 20 + [0.92] * 10)
    points[22] = ended("022", Outcome.INFRA)
    assert bad(points) == [f"{i:03}" for i in range(20, 30) if i != 22]


def test_another_k_is_another_stretch() -> None:
    points = series([1.0] * 20) + [served(f"1{i:02}", [v * 1.5 for v in RECORDED], k=8) for i in range(3)]
    assert bad(points) == []
