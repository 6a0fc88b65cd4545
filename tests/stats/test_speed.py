"""Speed is shown and not judged."""

from matrix.core.counters import Counters
from matrix.core.state import Metric, State
from tests.stats.build import last, served


def speeds(tok_s: dict[str, float], baseline: dict[str, float], tokens: int | None = None) -> dict[str, object]:
    rows = {p: Counters(steps=60, proposed=180, accepted=67, completion_tokens=tokens) for p in tok_s}
    told = last([served("1", prompts=rows, tok_s=tok_s, baseline_tok_s=baseline)], Metric.SPEED)
    assert told.state is State.UNKNOWN
    return {"reason": told.reason, **dict(told.numbers)}


def test_speed_up_is_total_time_over_total_time_and_the_reason_says_why_it_is_not_judged() -> None:
    found = speeds({"a": 10.0, "b": 30.0}, {"a": 20.0, "b": 20.0}, tokens=128)
    assert found["tok_s"] == 15.0 and found["baseline_tok_s"] == 20.0 and found["speedup"] == 0.75
    assert (found["low"], found["high"], found["pairs"]) == (0.5, 1.5, 2)
    assert "not judged: the noise of speed is not measured" in str(found["reason"])


def test_a_slower_draft_is_no_regression() -> None:
    assert last([served("1", tok_s={"p00": 5.0}, baseline_tok_s={"p00": 50.0})], Metric.SPEED).state is State.UNKNOWN


def test_only_prompts_with_a_baseline_count_for_the_speed_up() -> None:
    found = speeds({"a": 10.0, "b": 1000.0}, {"a": 20.0})
    assert found["speedup"] == 0.5 and found["pairs"] == 1


def test_without_a_baseline_there_is_no_speed_up() -> None:
    found = speeds({"a": 10.0}, {})
    assert found["speedup"] is None and found["tok_s"] == 10.0


def test_nonsense_rates_are_left_out() -> None:
    found = speeds({"a": 10.0, "b": float("nan"), "c": 0.0, "d": float("inf"), "e": -1.0}, {"a": 20.0, "b": 5.0})
    assert found["speedup"] == 0.5
    assert last([served("1", tok_s={"a": float("nan")})], Metric.SPEED).reason == "no speed was measured"
