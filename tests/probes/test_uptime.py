"""Asking on while a server ages: which rounds count, and that it ends."""

import pytest

from matrix.core.counters import accept_length, combine
from matrix.probes.faults import EngineFaultError
from matrix.probes.uptime import follow
from tests.probes.conftest import Start, probe_of, workload_of


class Clock:
    """Jumps by `step` seconds each time a round begins (it is read twice a round)."""

    def __init__(self, step: float) -> None:
        self.now, self.step = -step / 2, step / 2

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_the_first_and_the_last_tenth_are_kept(start: Start) -> None:
    seen: list[float] = []
    found = follow(probe_of(start(), workload_of(2, 10)), 10, seen.append, clock=Clock(20))
    assert len(found.first) == sum(1 for at in seen if at < 60) > 1
    assert len(found.last) == sum(1 for at in seen if at >= 540) > 1
    assert found.rounds == len(seen) > len(found.first) + len(found.last)
    assert seen[-1] < 640


def test_a_round_longer_than_the_window_still_gives_both(start: Start) -> None:
    found = follow(probe_of(start(), workload_of(2, 10)), 1, clock=Clock(50))
    assert (len(found.first), len(found.last)) == (1, 1)
    assert found.first[0].keys() == found.last[0].keys() == {"p0", "p1"}


def test_an_engine_that_decays_shows(start: Start) -> None:
    engine = start(acceptance=[0.9, 0.9, 0.9], later=[0.2, 0.0, 0.0], later_after=6)
    found = follow(probe_of(engine, workload_of(2, 40, repetitions=3)), 1, clock=Clock(5))
    early, late = (
        accept_length(combine(c for r in rows[:1] for c in r.values())) for rows in (found.first, found.last)
    )
    assert early is not None and late is not None and early > 3 > 1.5 > late


def test_in_flight_together_is_one_entry_a_round(start: Start) -> None:
    from dataclasses import replace

    from tests.probes.conftest import NAMES

    probe = probe_of(start(), workload_of(3, 10, concurrency=3), names=replace(NAMES, per_request=False))
    found = follow(probe, 1, clock=Clock(20))
    assert [list(r) for r in found.first] == [["pooled"]]


def test_others_requests_are_left_out(start: Start) -> None:
    from dataclasses import replace

    from tests.probes.conftest import NAMES

    probe = probe_of(start(mode="foreign"), workload_of(2, 10), names=replace(NAMES, per_request=False))
    assert all(not r for r in follow(probe, 1, clock=Clock(20)).first)


def test_death_ends_it(start: Start) -> None:
    with pytest.raises(EngineFaultError):
        follow(probe_of(start(mode="status", after=5), workload_of(2, 10)), 1, clock=Clock(1))
