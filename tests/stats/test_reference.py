"""What a revision is compared with."""

import pytest

from matrix.core.state import Metric, State
from matrix.stats.judge import RunPoint, judge_series
from matrix.stats.noise import NoiseFloor
from tests.stats.build import RECORDED, last, prompts, scaled, served

QUIET = {Metric.ACCEPT_LENGTH: NoiseFloor(0.0, 0.0, 12)}


def numbers(points: list[RunPoint]) -> dict[str, object]:
    return dict(judge_series(points, siblings=QUIET).revisions[-1].verdict(Metric.ACCEPT_LENGTH).numbers)


def test_it_is_pooled_over_the_last_healthy_revisions() -> None:
    found = numbers([served("1", scaled(0.99)), served("2", scaled(1.01)), served("3")])
    assert found["boots_before"] == 2 and found["reference"] == "2"
    assert found["change"] == pytest.approx(0, abs=0.002)
    assert "against 2 and 1 before it" in last([served("1"), served("2"), served("3")]).reason


def test_it_looks_back_over_eight() -> None:
    assert numbers([served(str(i)) for i in range(20)])["boots_before"] == 8


def test_a_slide_too_small_to_see_from_one_to_the_next_is_found() -> None:
    judged = judge_series([served(str(i), scaled(0.99**i)) for i in range(9)], siblings=QUIET).revisions
    assert judged[3].state(Metric.ACCEPT_LENGTH) is State.HEALTHY
    assert judged[8].state(Metric.ACCEPT_LENGTH) is State.DEGRADED


@pytest.mark.parametrize(("rise", "boots"), [(1.2, 1), (1.01, 3)])
def test_a_significant_rise_starts_it_anew(rise: float, boots: int) -> None:
    points = [served("1"), served("2"), served("3", scaled(rise)), served("4", scaled(rise))]
    assert numbers(points)["boots_before"] == boots


def test_another_k_starts_it_anew() -> None:
    assert numbers([served("1"), served("2", k=5), served("3", k=5)])["boots_before"] == 1


def test_a_prompt_that_one_boot_lacks_weighs_like_the_others() -> None:
    fewer = dict(list(prompts(RECORDED).items())[:-1])
    points = [served("1", boot=b, prompts=fewer if b else prompts(RECORDED), run_id=f"1/{b}") for b in range(6)]
    assert numbers([*points, served("2")])["change"] == pytest.approx(0, abs=1e-9)
