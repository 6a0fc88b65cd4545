"""Speed is judged where its noise between boots is measured and small, and only shown elsewhere."""

from matrix.core.counters import Counters
from matrix.core.state import Change, Metric, State, Verdict
from matrix.stats.judge import RunPoint, judge_series
from matrix.stats.noise import NoiseFloor
from tests.stats.build import RECORDED, changes, last, served

NAMES = [f"p{i:02}" for i in range(len(RECORDED))]


def speeds(tok_s: dict[str, float], baseline: dict[str, float], tokens: int | None = None) -> dict[str, object]:
    rows = {p: Counters(steps=60, proposed=180, accepted=67, completion_tokens=tokens) for p in tok_s}
    told = last([served("1", prompts=rows, tok_s=tok_s, baseline_tok_s=baseline)], Metric.SPEED)
    assert told.state is State.UNKNOWN
    return {"reason": told.reason, **dict(told.numbers)}


def timed(revision: str, rates: list[float], baseline: float | None = 100.0) -> list[RunPoint]:
    """A boot for each rate; prompts differ in speed, boots in all of them alike."""
    own = {p: 1 + i / 50 for i, p in enumerate(NAMES)}
    base = {p: baseline * own[p] for p in NAMES} if baseline else {}
    return [
        served(revision, run_id=f"{revision}/{b}", boot=b, tok_s={p: r * own[p] for p in NAMES}, baseline_tok_s=base)
        for b, r in enumerate(rates)
    ]


def judged(points: list[RunPoint], floor: NoiseFloor = NoiseFloor()) -> Verdict:  # noqa: B008
    return judge_series(points, siblings={Metric.SPEED: floor}).revisions[-1].verdict(Metric.SPEED)


def test_speed_up_is_total_time_over_total_time_and_the_reason_says_why_it_is_not_judged() -> None:
    found = speeds({"a": 10.0, "b": 30.0}, {"a": 20.0, "b": 20.0}, tokens=128)
    assert found["tok_s"] == 15.0 and found["baseline_tok_s"] == 20.0 and found["speedup"] == 0.75
    assert (found["low"], found["high"], found["pairs"]) == (0.5, 1.5, 2)
    assert "not judged: the noise of speed is not measured" in str(found["reason"])


def test_a_slower_draft_of_one_boot_is_no_regression() -> None:
    assert last(timed("1", [50.0]), Metric.SPEED).state is State.UNKNOWN


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


def test_slower_than_without_a_draft_is_slower_although_it_is_accepted() -> None:
    points = timed("1", [60.0, 61.0, 60.5, 60.2])
    told = judged(points)
    assert told.state is State.SLOWER and "slower than without a draft" in told.reason
    assert -0.41 < float(str(dict(told.numbers)["change"])) < -0.39
    assert last(points).state is State.HEALTHY


def test_a_fall_of_speed_is_flagged_once_its_noise_is_small() -> None:
    points = [*timed("1", [200.0, 201.0, 199.0]), *timed("2", [150.0, 151.0])]
    assert judged(points).state is State.DEGRADED
    assert changes(points, Metric.SPEED) == [Change.REGRESSION]


def test_a_fall_below_what_matters_is_healthy() -> None:
    assert judged([*timed("1", [200.0, 201.0, 199.0, 200.0]), *timed("2", [196.0, 196.5])]).state is State.HEALTHY


def test_boots_that_differ_more_than_what_matters_hide_any_fall() -> None:
    told = judged([*timed("1", [200.0, 150.0, 180.0]), *timed("2", [100.0])])
    assert told.state is State.UNKNOWN and "noise from boot to boot" in told.reason and "hides 5 %" in told.reason


def test_two_boots_alone_measure_too_little() -> None:
    assert "one repeated boot is too little" in judged(timed("1", [200.0, 200.0])).reason


def test_the_noise_of_siblings_lets_single_boots_be_judged() -> None:
    quiet = NoiseFloor(0.01**2, 0.0, 12)
    points = [*timed("1", [200.0]), *timed("2", [160.0])]
    assert judged(points).state is State.UNKNOWN
    assert judged(points, quiet).state is State.DEGRADED
    assert judged([*timed("1", [200.0], None), *timed("2", [199.0], None)], quiet).state is State.HEALTHY


def test_too_few_prompts_in_common_are_insufficient() -> None:
    few = served("2", tok_s=dict.fromkeys(NAMES[:3], 100.0))
    told = judged([*timed("1", [200.0]), few], NoiseFloor(0.01**2, 0.0, 12))
    assert told.state is State.UNKNOWN and "too few prompts" in told.reason
