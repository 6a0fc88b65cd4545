"""What a caller may do again after the database was away, and after the clock was set back."""

import time

import pytest

from matrix.core.outcome import Outcome
from matrix.store import Store
from tests.store.build import plan, run, sample, statuses


def test_a_run_whose_answer_was_lost_may_be_stored_again(store: Store) -> None:
    """The database had committed and went away before it could say so."""
    sweep = plan(store, "1.0")
    job = store.queue.claim("me")
    assert job is not None
    made = run("r", job.cell, sample())
    for _ in range(2):
        store.queue.finish(job.job_id, "me", made)
    assert (statuses(store, sweep), [row.run_id for row in store.read.results()]) == (["done"], ["r"])


def test_storing_a_failed_run_again_takes_its_retry_from_nobody(store: Store) -> None:
    plan(store, "1.0")
    job = store.queue.claim("me")
    assert job is not None
    failed = run("r", job.cell, outcome=Outcome.INFRA)
    store.queue.finish(job.job_id, "me", failed, again_at=0.0)
    other = store.queue.claim("other")
    assert other is not None and other.job_id == job.job_id
    store.queue.finish(job.job_id, "me", failed, again_at=time.time() + 1000)
    assert store.queue.heartbeat(other.job_id, "other"), "its claim stands"
    assert [row.run_id for row in store.read.results()] == ["r"]


def test_a_retry_does_not_wait_for_a_clock_that_was_set_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(store, "1.0")
    ahead = time.time() + 300 * 86_400.0
    with monkeypatch.context() as wrong:
        wrong.setattr("matrix.store.queue.time.time", lambda: ahead)
        job = store.queue.claim("me")
        assert job is not None
        store.queue.finish(job.job_id, "me", run("r", job.cell, outcome=Outcome.INFRA), again_at=ahead + 60)
        assert store.queue.claim("me") is None
    again = store.queue.claim("me")
    assert again is not None and again.attempts == 2


def test_leases_of_the_dead_alone_are_dropped(store: Store) -> None:
    for number, who in enumerate(("dead", "alive")):
        store.leases.take("host", [number], 1, who, purpose="p", ttl_s=1e9)
    assert store.leases.drop_dead(lambda owner: owner == "alive") == 1
    assert [lease.owner for lease in store.leases.held()] == ["alive"]
    assert store.leases.drop_dead(lambda owner: owner == "alive") == 0


def test_a_slot_of_the_future_is_not_the_last_one(store: Store) -> None:
    for slot in (100.0, 9e9):
        store.ticks.begin("a.toml", slot, "the calendar", "me")
    assert (store.ticks.last_slot("a.toml"), store.ticks.last_slot("a.toml", until=200.0)) == (9e9, 100.0)
