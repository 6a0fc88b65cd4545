"""Truth table: outcome -> state of each metric -> word of the change after a healthy revision."""

import pytest

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Change, Metric, State
from matrix.stats.judge import judge_series
from tests.stats.build import changes, ended, last, served

U, N, B, H, W = State.UNKNOWN, State.NOT_APPLICABLE, State.BROKEN, State.HEALTHY, State.WRONG_OUTPUT
R = Change.REGRESSION
DRAFT = [
    (Outcome.LOAD_CRASH, (B, U, U), {Metric.ACCEPT_LENGTH: R}),
    (Outcome.SERVE_CRASH, (B, U, U), {Metric.ACCEPT_LENGTH: R}),
    (Outcome.MEASURED_NOTHING, (B, U, U), {Metric.ACCEPT_LENGTH: R}),
    (Outcome.WRONG_OUTPUT, (U, U, W), {Metric.OUTPUT: R}),
    (Outcome.OOM, (U, U, U), {}),
    (Outcome.HANG, (U, U, U), {}),
    (Outcome.BUILD_FAILED, (U, U, U), {}),
    (Outcome.CONFIG_ERROR, (U, U, U), {}),
    (Outcome.ENVIRONMENT, (U, U, U), {}),
    (Outcome.INFRA, (U, U, U), {}),
    (Outcome.UNSUPPORTED, (N, N, N), {}),
]
BASELINE = [
    (Outcome.LOAD_CRASH, (N, U, B), {Metric.OUTPUT: R}),
    (Outcome.SERVE_CRASH, (N, U, B), {Metric.OUTPUT: R}),
    (Outcome.MEASURED_NOTHING, (N, U, U), {}),
    (Outcome.WRONG_OUTPUT, (N, U, W), {Metric.OUTPUT: R}),
    (Outcome.INFRA, (U, U, U), {}),
    (Outcome.UNSUPPORTED, (N, N, N), {}),
]
ROWS = [(Method.EAGLE3, *row) for row in DRAFT] + [(Method.NONE, *row) for row in BASELINE]


def test_every_outcome_but_ok_is_in_the_table() -> None:
    assert {row[0] for row in DRAFT} == set(Outcome) - {Outcome.OK}


@pytest.mark.parametrize(("method", "outcome", "expected", "words"), ROWS)
def test_outcome_gives_states_and_words(
    method: Method, outcome: Outcome, expected: tuple[State, ...], words: dict[Metric, Change]
) -> None:
    points = [served("1", method=method, compared=16), ended("2", outcome, "the cause", method=method)]
    judgement = judge_series(points)
    assert tuple(judgement.revisions[-1].state(m) for m in Metric) == expected
    assert {flip.metric: flip.change for flip in judgement.flips} == words
    assert all("the cause" in flip.reason for flip in judgement.flips)


@pytest.mark.parametrize("outcome", [o for o in Outcome if o.tier not in ("ok", "engine")])
def test_what_says_nothing_about_the_engine_keeps_its_reason(outcome: Outcome) -> None:
    for metric in Metric:
        assert last([ended("1", outcome, "disk is\nfull.")], metric).reason == f"{outcome}: disk is full"


def test_served_without_counters_is_the_silent_failure() -> None:
    told = last([ended("1", Outcome.MEASURED_NOTHING, "vllm:spec_decode_num_drafts stayed 0")])
    assert told.reason == "served, but no draft counters moved: vllm:spec_decode_num_drafts stayed 0"
    assert last([ended("1", Outcome.MEASURED_NOTHING, "")]).reason == "served, but no draft counters moved"


def test_a_baseline_that_served_is_healthy_and_has_no_accept_length() -> None:
    baseline = served("1", method=Method.NONE, k=None)
    assert last([baseline]).state is State.NOT_APPLICABLE
    assert last([baseline]).reason == "no draft"
    assert last([baseline], Metric.OUTPUT).state is State.HEALTHY


def test_output_is_unknown_until_compared_and_then_counts() -> None:
    assert last([served("1")], Metric.OUTPUT).state is State.UNKNOWN
    told = last([served("1", compared=16, diverged=8, wrong=1)], Metric.OUTPUT)
    assert told.state is State.HEALTHY
    assert dict(told.numbers) == {"compared": 16, "diverged": 8, "wrong": 1}
    assert "16 prompts" in told.reason and "8 parted" in told.reason


def test_wrong_output_keeps_its_counts() -> None:
    wrong = ended("1", Outcome.WRONG_OUTPUT, "5 prompts", compared=16, diverged=9, wrong=5)
    assert dict(last([wrong], Metric.OUTPUT).numbers)["wrong"] == 5


def test_a_crash_after_a_fall_is_still_failing_and_repair_is_fixed() -> None:
    points = [served("1"), ended("2", Outcome.LOAD_CRASH), served("3", [v * 0.7 for v in (2.2,) * 16]), served("4")]
    assert changes(points) == [R, Change.STILL_FAILING, Change.FIXED]
