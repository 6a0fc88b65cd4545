"""What `/metrics` counts, on both databases."""

import time

import pytest

from matrix.core.outcome import Outcome
from matrix.store import Priority, Store, gauges
from matrix.store.ticks import TickStatus
from tests.store.build import cell, key, plan, run


def test_an_empty_database_has_nothing_and_no_age(store: Store) -> None:
    rows = store.gauges.rows()
    assert (rows.queue, rows.outcomes, rows.phases, rows.ticks, rows.messages) == ({}, {}, {}, {}, {})
    assert (rows.waiting_since, rows.last_tick, rows.leased) == (None, None, 0)
    assert rows.bytes > 0


def test_open_jobs_by_status_and_priority_and_the_longest_wait(store: Store) -> None:
    began = time.time()
    first = plan(store, "1.0", "1.1")
    store.queue.claim("me", first)
    second = store.sweeps.create({}, "", owner="me", tool_version="1")
    store.queue.enqueue(second, [(key(cell("2.0")), cell("2.0"))], priority=Priority.NIGHTLY)
    rows = store.gauges.rows()
    assert rows.queue == {("claimed", 0): 1, ("queued", 0): 1, ("queued", 20): 1}
    assert rows.waiting_since is not None and began <= rows.waiting_since <= time.time()


def test_ticks_and_leases(store: Store) -> None:
    done = store.ticks.begin("a", 1.0, "w", "me")
    assert done is not None
    store.ticks.finish(done, TickStatus.DONE)
    store.ticks.begin("a", 2.0, "w", "me")
    store.leases.take("box", [0, 1], 2, "me", purpose="p", ttl_s=60)
    rows = store.gauges.rows()
    assert (rows.ticks, rows.leased) == ({"done": 1, "running": 1}, 2)
    assert rows.last_tick is not None


def test_runs_are_counted_right_as_they_come_and_old_ones_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gauges, "UNSETTLED", 3)
    told = 0
    for at in range(12):
        outcome = Outcome.OK if at % 3 else Outcome.HANG
        store.runs.save(run(f"r{at}", cell(f"1.{at}"), outcome=outcome))
        if at % 2:
            told += 1
            hangs = at // 3 + 1
            assert store.gauges.rows().outcomes == {"ok": at + 1 - hangs, "hang": hangs}
            assert store.gauges.rows().outcomes == {"ok": at + 1 - hangs, "hang": hangs}
    assert told == 6
    assert store.gauges._upto == 9


def test_phases_are_those_of_the_last_day(store: Store) -> None:
    now = time.time()
    store.runs.save(run("new", cell("1.0"), at=now - 60))
    store.runs.save(run("old", cell("1.1"), at=now - 2 * gauges.DAY_S))
    assert store.gauges.rows(now).phases["probe"] == [7.5]
