"""A tick is begun once by whoever comes first, and taken over only from the dead."""

from matrix.store import Store
from matrix.store.ticks import TickStatus


def test_one_moment_is_begun_once(store: Store) -> None:
    first = store.ticks.begin("a.toml", 100.0, "the calendar", "me")
    assert first is not None
    assert store.ticks.begin("a.toml", 100.0, "the calendar", "other") is None
    assert store.ticks.begin("b.toml", 100.0, "the calendar", "other") is not None
    store.ticks.finish(first, TickStatus.DONE, sweep_id=None, note="3 runs")
    assert store.ticks.begin("a.toml", 100.0, "again", "me") is None
    assert store.ticks.last_slot("a.toml") == 100.0 and store.ticks.last_slot("c.toml") is None


def test_what_a_dead_owner_left_is_taken_over_by_one(store: Store) -> None:
    number = store.ticks.begin("a.toml", 100.0, "the calendar", "dead")
    assert store.ticks.left_running("a.toml", lambda owner: True) is None
    left = store.ticks.left_running("a.toml", lambda owner: owner != "dead")
    assert left is not None and (left.tick_id, left.slot) == (number, 100.0)
    assert store.ticks.begin("a.toml", 100.0, "on", "heir", lambda owner: owner != "dead") == number
    assert store.ticks.begin("a.toml", 100.0, "on", "late", lambda owner: owner != "dead") is None


def test_the_newest_come_first(store: Store) -> None:
    for slot in (1.0, 2.0, 3.0):
        store.ticks.begin("a.toml", slot, f"slot {slot}", "me")
    assert [tick.slot for tick in store.ticks.newest(2)] == [3.0, 2.0]
