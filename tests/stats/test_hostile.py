"""Data that should not exist gets a reasoned state, never an exception."""

import pytest

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric, State
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
