"""Stored series judged together: noise lent to siblings, control over a release, the same answer each time."""

from typing import Any

import pytest

from matrix.app.judging import judge_all, judge_one, judge_some, judgements
from matrix.core.outcome import Outcome
from matrix.core.state import Metric
from matrix.stats.control import control
from matrix.store import Store
from tests.app.stored import cell, ended, served
from tests.databases import on_both

pytestmark = on_both

NOISY = {"target": "noisy", "draft": "noisy-head"}


def numbers(store: Store, version: str = "1.1", **of: Any) -> dict[str, Any]:
    judged = judgements(store)[cell("1.0", **of).series_key]
    revision = next(r for r in judged.revisions if r.revision == version)
    return dict(revision.verdict(Metric.ACCEPT_LENGTH).numbers)


def fall(store: Store, after: float, **of: Any) -> None:
    served(store, cell("1.0", **of), 2.5, at=1000)
    served(store, cell("1.1", **of), after, at=2000)


def repeat(store: Store, *lengths: float, **of: Any) -> None:
    """Boots of one release."""
    for boot, length in enumerate(lengths):
        served(store, cell("1.0", boot=boot, **of), length, at=1000 + boot)


def test_q_is_worked_out_over_the_release(stored: Store) -> None:
    drafts = {"a": 1.6, "b": 2.0, "c": 2.49}
    for draft, after in drafts.items():
        fall(stored, after, draft=draft)
    fall(stored, 1.6, draft="other-engine", engine="vllm")
    found = [numbers(stored, draft=draft) for draft in drafts]
    expected = control([n["p_fall"] for n in found])
    assert [n["q"] for n in found] == pytest.approx(list(expected), abs=1e-6)
    alone = numbers(stored, draft="other-engine", engine="vllm")
    assert alone["q"] == pytest.approx(alone["p_fall"], abs=1e-6)


def test_the_noise_of_siblings_is_lent_on_the_same_engine_and_hardware(stored: Store) -> None:
    fall(stored, 2.3)
    quiet = numbers(stored)["noise"]
    repeat(stored, 2.0, 2.4, 1.8, 2.5, engine="vllm", **NOISY)
    assert numbers(stored)["noise"] == quiet
    repeat(stored, 2.0, 2.4, 1.8, 2.5, **NOISY)
    assert numbers(stored)["noise"] > 2 * quiet


def test_own_noise_is_not_lent_to_itself(stored: Store) -> None:
    """A series that alone was repeated has its own noise once: judged with others or by itself it is the same."""
    repeat(stored, 2.4, 2.5, 2.6)
    served(stored, cell("1.1"), 2.3, at=3000)
    together = numbers(stored)["noise"]
    by_itself = judge_one(stored, cell("1.0").series_key).revisions[-1].verdict(Metric.ACCEPT_LENGTH)
    assert dict(by_itself.numbers)["noise"] == together


def test_every_series_is_judged_and_judging_again_changes_nothing(stored: Store) -> None:
    fall(stored, 1.6)
    ended(stored, cell("1.0", draft="b"), Outcome.INFRA, at=1000)
    assert judge_all(stored) == 2
    first = (stored.read.regressions(None), judgements(stored))
    assert judge_all(stored) == 2
    assert (stored.read.regressions(None), judgements(stored)) == first


def test_an_empty_database_is_judged_too(stored: Store) -> None:
    assert judge_all(stored) == 0 and judgements(stored) == {}


def test_a_part_judged_by_itself_is_what_judging_all_says(stored: Store) -> None:
    """Noise that siblings lend and the comparisons of the release are read as they were stored."""
    drafts = {"a": 1.6, "b": 2.0, "c": 2.49}
    repeat(stored, 2.4, 2.45, 2.5, **NOISY)
    for draft, after in drafts.items():
        fall(stored, after, draft=draft)
        judge_some(stored, [cell("1.0", draft=draft).series_key])
    judge_some(stored, [cell("1.0", **NOISY).series_key])
    newest = cell("1.0", draft="c").series_key
    assert judge_some(stored, [newest]) == {newest: judgements(stored)[newest]}


def test_a_release_that_is_judged_again_overturns_what_its_control_no_longer_lets_stand(stored: Store) -> None:
    repeat(stored, 2.5, 2.5, 2.5, 2.5, 2.5, draft="a")
    served(stored, cell("1.1", draft="a"), 2.0, at=2000)
    first = cell("1.0", draft="a").series_key
    judge_some(stored, [first])
    limit = 1.5 * numbers(stored, draft="a")["q"]
    stored.judged.keep_thresholds({first: (("sglang", cell("1.0").hardware.label), {"false_discovery": limit})})
    assert "accept-length" in [f.metric for f in stored.read.regressions()]
    for draft in ("b", "c"):
        fall(stored, 2.5, draft=draft)
    judged = judge_some(stored, [cell("1.0", draft=draft).series_key for draft in ("b", "c")])
    assert judged.keys() == {cell("1.0", draft=draft).series_key for draft in ("a", "b", "c")}
    assert "accept-length" not in [f.metric for f in stored.read.regressions()]
    assert judged == judgements(stored)


def test_thresholds_of_a_series_hold_for_it_alone(stored: Store) -> None:
    repeat(stored, 2.5, 2.5, 2.5, 2.5, 2.5, draft="a")
    served(stored, cell("1.1", draft="a"), 2.3, at=2000)
    fall(stored, 2.3, draft="b")
    tolerant = cell("1.0", draft="a").series_key
    stored.judged.keep_thresholds({tolerant: (("sglang", cell("1.0").hardware.label), {"relevant": 0.2})})
    states = {draft: judgements(stored)[cell("1.0", draft=draft).series_key].revisions[-1] for draft in ("a", "b")}
    assert {d: r.state(Metric.ACCEPT_LENGTH) for d, r in states.items()} == {"a": "healthy", "b": "degraded"}
    assert judge_one(stored, tolerant).revisions[-1].state(Metric.ACCEPT_LENGTH) == "healthy"
