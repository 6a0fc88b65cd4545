"""Data that should not exist gets a reasoned state, never an exception."""

import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric, State
from matrix.stats.control import comparisons, settled
from matrix.stats.judge import RunPoint, judge_series, standing
from tests.stats.build import scaled, served

NONSENSE = {
    "negative": Counters(steps=50, proposed=150, accepted=-60),
    "negative steps": Counters(steps=-50, proposed=150, accepted=60),
    "partly told": Counters(steps=50, accepted=None, decode_steps=50),
    "fewer tokens than requests": Counters(decode_steps=50, completion_tokens=0, requests=3),
    "more than k": Counters(steps=50, proposed=150, accepted=900),
    "huge": Counters(steps=10**12, proposed=3 * 10**12, accepted=10**12),
    "no requests": Counters(steps=50, proposed=150, accepted=60, requests=0),
}


@pytest.mark.parametrize("method", [Method.EAGLE3, Method.NGRAM, Method.NONE])
@pytest.mark.parametrize("name", NONSENSE)
@pytest.mark.parametrize("prompts", [1, 2, 16])
def test_nonsense_counters(name: str, prompts: int, method: Method) -> None:
    rows = {f"p{i:02}": NONSENSE[name] for i in range(prompts)}
    points = [served("1", method=method), served("2", prompts=rows, method=method), served("3", method=method)]
    judgement = judge_series(points)
    assert all(verdict.reason for revision in judgement.revisions for verdict in revision.verdicts)
    assert standing(judgement) == [f for f in judgement.flips if f.change == "regression" and f.after_revision == "3"]


def test_one_bad_prompt_does_not_spoil_the_others() -> None:
    rows = dict(served("2").prompts) | {"p00": NONSENSE["partly told"]}
    second = judge_series([served("1"), served("2", prompts=rows)]).revisions[1].verdict(Metric.ACCEPT_LENGTH)
    assert second.state is State.HEALTHY and dict(second.numbers)["pairs"] == 15


def test_a_run_given_twice_changes_nothing() -> None:
    first, second = served("1"), served("2", scaled(0.6))
    once, twice = judge_series([first, second]), judge_series([first, first, second, second])
    assert [r.verdicts for r in twice.revisions] == [r.verdicts for r in once.revisions]
    assert twice.flips == once.flips


def test_a_revision_that_comes_back_later_is_one_revision() -> None:
    judgement = judge_series([served("1"), served("2", scaled(0.6)), served("1", boot=1)])
    assert [r.revision for r in judgement.revisions] == ["1", "2"]


def test_k_that_is_not_known() -> None:
    assert judge_series([served("1", [4.0] * 16, k=None)]).revisions[0].state(Metric.ACCEPT_LENGTH) is State.HEALTHY


def test_an_ok_run_without_anything() -> None:
    verdicts = judge_series([RunPoint("r", "1", Outcome.OK, Method.EAGLE3)]).revisions[0].verdicts
    assert [verdict.state for verdict in verdicts] == [State.UNKNOWN] * 3


@pytest.mark.parametrize("huge", [10**15, 10**16, 10**30])
def test_counters_beyond_counting_are_no_evidence(huge: int) -> None:
    rows = {f"p{i:02}": Counters(steps=huge, proposed=3 * huge, accepted=huge) for i in range(16)}
    told = judge_series([served("1"), served("2", prompts=rows)]).revisions[1].verdict(Metric.ACCEPT_LENGTH)
    assert told.state is (State.HEALTHY if huge <= 10**15 else State.UNKNOWN)


@pytest.mark.parametrize("field", ["steps", "proposed", "accepted", "decode_steps", "completion_tokens", "requests"])
@pytest.mark.parametrize("value", [-1, 9e99, float("inf"), float("-inf"), float("nan")])
def test_one_impossible_counter_makes_its_run_unknown_and_says_why(field: str, value: float) -> None:
    whole = served("2", scaled(0.6)).prompts
    rows = dict(whole) | {"p03": replace(whole["p03"], **{field: value})}
    judgement = judge_series([served("1"), served("2", prompts=rows), served("3")])
    told = judgement.revisions[1].verdict(Metric.ACCEPT_LENGTH)
    assert told.state is State.UNKNOWN and told.reason.startswith("counters of p03 are impossible")
    assert judgement.revisions[2].state(Metric.ACCEPT_LENGTH) is State.HEALTHY
    assert judgement.flips == ()


def test_k_changed_in_mid_series_is_named_and_starts_a_reference_of_its_own() -> None:
    points = [served(str(i)) for i in range(3)] + [served(str(i), scaled(0.7), k=2) for i in range(3, 6)]
    judged = judge_series(points).revisions
    assert "k changed, 3 -> 2" in judged[3].verdict(Metric.ACCEPT_LENGTH).reason
    assert judged[3].state(Metric.ACCEPT_LENGTH) is State.DEGRADED


def test_order_of_appearance_counts_and_not_the_clock() -> None:
    """Runs that finished in another order than their revisions were released arrive in the order of revisions."""
    judgement = judge_series([served("2"), served("1", scaled(0.6)), served("3")])
    assert [flip.after_revision for flip in judgement.flips] == ["1", "3"]


SEARCH = (Phase.explicit, Phase.reuse, Phase.generate)
"""No shrinking: of sixty runs with eight prompts each it takes minutes."""
NUMBERS = st.one_of(st.none(), st.integers(-5, 400), st.sampled_from([0, 1, 10**12, 10**18]))
RATES = st.one_of(st.floats(), st.floats(1, 500))
PROMPT = st.sampled_from([f"p{i}" for i in range(8)])
COUNTERS = st.builds(
    Counters,
    steps=NUMBERS,
    proposed=NUMBERS,
    accepted=NUMBERS,
    decode_steps=NUMBERS,
    completion_tokens=NUMBERS,
    requests=st.integers(0, 3),
)
RUNS = st.builds(
    RunPoint,
    run_id=st.sampled_from([f"r{i}" for i in range(30)]),
    revision=st.sampled_from([f"{i}" for i in range(20)]),
    outcome=st.sampled_from([Outcome.OK] * 12 + list(Outcome)),
    method=st.sampled_from([Method.EAGLE3, Method.EAGLE3, Method.NGRAM, Method.NONE]),
    k=st.sampled_from([None, 1, 3, 3, 3, 8]),
    prompts=st.dictionaries(PROMPT, COUNTERS, max_size=8),
    flags=st.dictionaries(PROMPT, st.sampled_from([("loops",), ("counters-late",), ()])),
    tok_s=st.dictionaries(PROMPT, RATES),
    baseline_tok_s=st.dictionaries(PROMPT, RATES),
    artifact=st.sampled_from([None, "sha256:1", "sha256:2"]),
    boot=st.integers(0, 3),
)
SOUND = st.builds(
    lambda revision, boot, factor: served(f"{revision}", scaled(factor), run_id=f"s{revision}/{boot}", boot=boot),
    st.integers(0, 40),
    st.integers(0, 2),
    st.floats(0.4, 1.4),
)


@given(st.lists(RUNS | SOUND, max_size=60), st.floats(0, 1))
@settings(
    max_examples=100,
    deadline=None,
    phases=SEARCH,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_anything_gets_a_reasoned_state_twice_the_same(points: list[RunPoint], q: float) -> None:
    judgement = judge_series(points)
    assert judge_series(points) == judgement
    controlled = settled(judgement, dict.fromkeys(comparisons(judgement), q))
    for revision in (*judgement.revisions, *controlled.revisions):
        for verdict in revision.verdicts:
            assert verdict.reason and "nan" not in verdict.reason and "inf " not in verdict.reason
            assert all(math.isfinite(v) for _, v in verdict.numbers if isinstance(v, float))
    assert len({(f.metric, f.after_revision) for f in judgement.flips}) == len(judgement.flips)


@given(st.lists(SOUND, max_size=30))
@settings(max_examples=60, deadline=None)
def test_runs_given_twice_change_nothing(points: list[RunPoint]) -> None:
    assert judge_series([*points, *points]).flips == judge_series(points).flips
