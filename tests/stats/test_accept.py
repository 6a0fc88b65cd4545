"""States of the accept length of runs that served."""

import math

import pytest

from matrix.core.counters import Counters
from matrix.core.spec import Method
from matrix.core.state import Metric, State
from matrix.stats.judge import JudgeSettings, judge_series
from matrix.stats.noise import NoiseFloor
from tests.stats.build import RECORDED, last, prompts, scaled, served, states

QUIET = {Metric.ACCEPT_LENGTH: NoiseFloor(0.0, 0.0, 12)}


def test_the_first_revision_is_healthy_with_its_number() -> None:
    told = last([served("1")])
    assert told.state is State.HEALTHY
    assert dict(told.numbers)["after"] == pytest.approx(2.14, abs=0.01)
    assert "nothing earlier" in told.reason


def test_identical_values_are_healthy() -> None:
    told = last([served("1"), served("2")])
    assert told.state is State.HEALTHY
    assert dict(told.numbers)["change"] == 0


def test_a_fall_is_flagged_at_the_second_revision_with_its_numbers() -> None:
    told = last([served("0.5.4"), served("0.5.5", scaled(0.6))])
    found = dict(told.numbers)
    assert told.state is State.DEGRADED
    assert found["change"] == pytest.approx(-0.4, abs=0.01)
    assert found["pairs"] == 16 and found["reference"] == "0.5.4" and found["reference_run"] == "run-0.5.4"
    assert float(found["low"]) < float(found["change"]) < float(found["high"])
    assert told.reason.startswith("-40 % over 16 paired prompts (95 % interval ")
    assert "2.14 -> 1.28, against 0.5.4" in told.reason


def test_two_percent_on_every_prompt_is_significant_but_not_relevant() -> None:
    told = judge_series([served("1"), served("2", scaled(0.98))], siblings=QUIET).revisions[-1].verdicts[0]
    assert told.state is State.HEALTHY
    assert float(dict(told.numbers)["p_fall"]) < 0.0001
    assert "-2.0 % over 16 paired prompts" in told.reason and "not relevant, below 3 %" in told.reason


def test_relevance_is_a_setting() -> None:
    points = [served("1"), served("2", scaled(0.98))]
    judged = judge_series(points, JudgeSettings(relevant=0.01), QUIET)
    assert judged.revisions[-1].state(Metric.ACCEPT_LENGTH) is State.DEGRADED


def test_a_fall_within_the_noise_is_healthy_and_does_not_become_the_reference() -> None:
    noisy = [v * (0.72 if i % 2 else 1.2) for i, v in enumerate(RECORDED)]
    judgement = judge_series([served("1"), served("2", noisy), served("3")])
    second, third = (r.verdict(Metric.ACCEPT_LENGTH) for r in judgement.revisions[1:])
    assert second.state is State.HEALTHY and "not significant" in second.reason
    assert dict(third.numbers)["reference"] == "1"


def test_a_large_fall_that_is_not_proved_is_unknown_and_not_healthy() -> None:
    few = [value * factor for value, factor in zip(RECORDED, (0.4, 0.9, 0.5, 0.8, 0.7), strict=False)]
    told = last([served("1"), served("2", few)])
    assert told.state is State.UNKNOWN
    assert "over 5 paired prompts" in told.reason and "insufficient: p = 0.0" in told.reason


def test_the_reference_is_the_last_healthy_revision() -> None:
    points = [served("1"), served("2", scaled(0.99)), served("3", scaled(0.6)), served("4", scaled(0.6))]
    judgement = judge_series(points)
    assert [dict(r.verdict(Metric.ACCEPT_LENGTH).numbers)["reference"] for r in judgement.revisions[2:]] == ["2", "2"]
    assert states(judgement)["4"] is State.DEGRADED


@pytest.mark.parametrize(("common", "state"), [(4, State.UNKNOWN), (5, State.DEGRADED)])
def test_too_few_common_prompts_are_insufficient(common: int, state: State) -> None:
    fallen = dict(list(prompts(scaled(0.6)).items())[:common])
    told = last([served("1"), served("2", prompts=fallen)])
    assert told.state is state
    assert told.reason.startswith(f"insufficient: {common} prompts in common with 1") is (state is State.UNKNOWN)


def test_a_reference_with_too_few_prompts_is_left_behind() -> None:
    judgement = judge_series([served("1", [2.1]), served("2"), served("3", scaled(0.6))])
    assert list(states(judgement).values()) == [State.HEALTHY, State.HEALTHY, State.DEGRADED]


def test_nothing_accepted_is_collapsed_from_thirty_steps_on() -> None:
    assert last([served("1", [1.0], steps=30)]).state is State.COLLAPSED
    short = last([served("1", [1.0], steps=29)])
    assert short.state is State.UNKNOWN and "29 steps" in short.reason


def test_collapse_names_its_numbers() -> None:
    told = last([served("1"), served("2", [1.0] * 16)])
    assert told.state is State.COLLAPSED
    assert "none of 16000 verify steps" in told.reason and "1.000" in told.reason
    nearly = last([served("1", [1.03] * 16)])
    assert nearly.state is State.COLLAPSED and "bound 1.03" in nearly.reason and "below 1.1" in nearly.reason


def test_a_low_mean_that_may_lie_above_the_floor_is_not_collapsed() -> None:
    assert last([served("1", [1.0, 1.0, 1.0, 1.3])]).state is State.HEALTHY


@pytest.mark.parametrize(
    ("value", "steps", "state"),
    [
        (4.0, 30, State.SUSPICIOUS_HIGH),
        (4.5, 30, State.SUSPICIOUS_HIGH),
        (4.0, 29, State.UNKNOWN),
        (3.9, 30, State.HEALTHY),
    ],
)
def test_at_or_above_the_most_possible_is_suspicious(value: float, steps: int, state: State) -> None:
    assert last([served("1", [value], steps=steps)]).state is state


def test_a_suspicious_revision_is_no_reference() -> None:
    judgement = judge_series([served("1"), served("2", [4.0] * 16), served("3")])
    assert dict(judgement.revisions[-1].verdict(Metric.ACCEPT_LENGTH).numbers)["reference"] == "1"


@pytest.mark.parametrize(
    ("looping", "rise", "state"),
    [(4, 1.3, State.SUSPICIOUS_HIGH), (3, 1.3, State.HEALTHY), (16, 1.0, State.HEALTHY), (0, 1.3, State.HEALTHY)],
)
def test_a_rise_with_new_loops_is_suspicious(looping: int, rise: float, state: State) -> None:
    flags = {f"p{i:02}": ("loops",) for i in range(looping)}
    assert last([served("1"), served("2", scaled(rise), flags=flags)]).state is state


def test_prompts_that_always_looped_raise_no_suspicion() -> None:
    flags = {f"p{i:02}": ("loops",) for i in range(16)}
    assert last([served("1", flags=flags), served("2", scaled(1.3), flags=flags)]).state is State.HEALTHY


def test_a_changed_k_and_an_equal_artifact_are_named() -> None:
    told = last([served("1", k=8, artifact="sha256:1"), served("2", scaled(0.6), k=4, artifact="sha256:1")])
    assert "k changed, 8 -> 4" in told.reason and "same artifact" in told.reason
    other = last([served("1", artifact="sha256:1"), served("2", scaled(0.6), artifact="sha256:2")])
    assert "same artifact" not in other.reason


def test_zero_steps_is_broken_and_no_counters_unknown() -> None:
    zero = {"p": Counters(steps=0, proposed=0, accepted=0)}
    assert last([served("1", prompts=zero)]).state is State.BROKEN
    assert last([served("1", prompts={"p": Counters()})]).state is State.UNKNOWN
    assert last([served("1", prompts={})]).state is State.UNKNOWN


def test_prompts_with_foreign_traffic_are_left_out() -> None:
    values = [*RECORDED[:-1], 1.0]
    told = last([served("1", values, flags={"p15": ("foreign-traffic",)})])
    assert dict(told.numbers)["prompts"] == 15


def visible(tokens: int, steps: int, drafted: int = 0, accepted: int = 0) -> Counters:
    return Counters(
        steps=drafted, proposed=3 * drafted, accepted=accepted, decode_steps=steps, completion_tokens=tokens, requests=1
    )


def test_ngram_is_valued_over_all_steps_and_collapse_over_those_with_a_draft() -> None:
    rows = {f"p{i}": visible(128, 100, drafted=20, accepted=27) for i in range(8)}
    told = last([served("1", method=Method.NGRAM, prompts=rows)])
    assert told.state is State.HEALTHY
    assert dict(told.numbers)["after"] == pytest.approx(1.27)
    refused = {f"p{i}": visible(128, 127, drafted=20, accepted=0) for i in range(8)}
    assert last([served("1", method=Method.NGRAM, prompts=refused)]).state is State.COLLAPSED


def test_an_ngram_without_matches_is_idle_and_not_collapsed() -> None:
    idle = {f"p{i}": visible(128, 127) for i in range(8)}
    assert last([served("1", method=Method.NGRAM, prompts=idle)]).state is State.HEALTHY


def test_visible_tokens_are_never_compared_with_counters() -> None:
    old = {f"p{i:02}": Counters(decode_steps=50, completion_tokens=128) for i in range(16)}
    told = last([served("1", prompts=old), served("2", scaled(0.8))])
    assert told.state is State.HEALTHY and "not comparable with 1" in told.reason


def test_numbers_are_finite_json_values() -> None:
    for revision in judge_series([served("1"), served("2", scaled(0.6)), served("3", [1.0] * 16)]).revisions:
        for verdict in revision.verdicts:
            assert all(not isinstance(v, float) or math.isfinite(v) for _, v in verdict.numbers)


def test_few_steps_that_agree_by_chance_are_not_collapsed() -> None:
    assert last([served("1", [1.05] * 2, steps=20)]).state is State.HEALTHY
    assert last([served("1", [1.05] * 2, steps=400)]).state is State.COLLAPSED
