"""Stored series judged together: noise lent to siblings, control over a release, the same answer each time."""

from typing import Any

import pytest

from matrix.app.judging import judge_all, judge_one, judgements
from matrix.core.outcome import Outcome
from matrix.core.state import Metric
from matrix.stats.control import control
from matrix.store import Store
from tests.app.stored import cell, ended, served

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
