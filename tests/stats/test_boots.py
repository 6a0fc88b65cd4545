"""Several runs of one revision."""

import pytest

from matrix.core.outcome import Outcome
from matrix.core.state import Metric, State
from matrix.stats.judge import JudgeSettings, judge_series
from tests.stats.build import changes, ended, last, scaled, served


def test_boots_are_pooled_by_prompt() -> None:
    boots = [served("2", scaled(0.5), run_id="a", boot=0), served("2", scaled(0.7), run_id="b", boot=1)]
    judged = judge_series([served("1"), *boots]).revisions
    assert [r.revision for r in judged] == ["1", "2"]
    assert judged[1].run_ids == ("a", "b") and judged[1].run_id == "b"
    one, both = (dict(last(runs).numbers)["steps"] for runs in ([boots[0]], boots))
    assert both == 2 * int(str(one))
    found = dict(judged[1].verdict(Metric.ACCEPT_LENGTH).numbers)
    assert found["change"] == pytest.approx(-0.4, abs=0.01) and found["pairs"] == 16


def test_a_boot_that_says_nothing_is_passed_over() -> None:
    assert last([served("1", boot=0), ended("1", Outcome.INFRA, boot=1)]).state is State.HEALTHY
    assert last([ended("1", Outcome.OOM, boot=0), ended("1", Outcome.LOAD_CRASH, boot=1)]).state is State.BROKEN


def test_boots_that_disagree_evenly_are_unknown_and_flip_nothing() -> None:
    split = [served("2", boot=0), ended("2", Outcome.SERVE_CRASH, "CUDA error", boot=1)]
    told = last([served("1"), *split])
    assert told.state is State.UNKNOWN
    assert told.reason == "its boots disagree: 1 of 2 boots ended in serve-crash (CUDA error)"
    assert changes([served("1"), *split]) == []


def test_boots_that_disagree_evenly_ask_for_one_that_decides_until_the_cap() -> None:
    split = [served("1"), served("2", boot=0), ended("2", Outcome.SERVE_CRASH, boot=1)]
    told = last(split)
    assert dict(told.numbers) == {"boots_after": 2, "ask": "boot"}
    capped = judge_series(split, JudgeSettings(max_boots=2)).revisions[-1].verdict(Metric.ACCEPT_LENGTH)
    assert (capped.state, capped.numbers) == (State.UNKNOWN, ())
    assert last([*split, ended("2", Outcome.SERVE_CRASH, boot=2)]).state is State.BROKEN
    assert last([*split, served("2", boot=2)]).state is State.HEALTHY


def test_the_majority_of_boots_decides_and_the_minority_is_named() -> None:
    fine = [served("1", boot=0), served("1", boot=1), ended("1", Outcome.SERVE_CRASH, "CUDA error", boot=2)]
    assert last(fine).state is State.HEALTHY
    assert last(fine).reason.endswith("; 1 of 3 boots ended in serve-crash (CUDA error)")
    crashing = [served("1", boot=0), *(ended("1", Outcome.LOAD_CRASH, boot=n) for n in (1, 2))]
    assert last(crashing).state is State.BROKEN
    assert last(crashing).reason.endswith("1 of 3 boots ended in ok")


def test_a_boot_run_again_counts_once_by_its_last_evidence() -> None:
    again = [ended("1", Outcome.LOAD_CRASH, boot=0), served("1", boot=0), ended("1", Outcome.INFRA, boot=0)]
    assert last(again).state is State.HEALTHY


def test_speeds_of_boots_are_combined_by_time() -> None:
    boots = [served("1", tok_s={"p00": 10.0}, boot=0), served("1", tok_s={"p00": 30.0}, boot=1)]
    assert dict(last(boots, Metric.SPEED).numbers)["tok_s"] == 15.0
