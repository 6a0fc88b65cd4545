"""Going on from what is remembered of a series says what its counters alone say, in whatever order its runs came."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from json import dumps
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from matrix.app.course import Course, course, prepare
from matrix.app.families import control_releases
from matrix.app.judging import judge_all, judge_one, judge_some
from matrix.app.thresholds import settings_of
from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.hardware import Hardware
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric
from matrix.stats.floors import Floors
from matrix.stats.noise import NoiseFloor
from matrix.store import History, Store, StoredPoint, open_store
from tests.app.stored import cell, ended, served

SHORT = {"long": 4.0}
"""Series are long from four revisions on, so that few runs make one."""
NUMBERS = count()
Arrival = tuple[int, int, float, Outcome, Method]
ARRIVALS = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.integers(0, 2),
        st.sampled_from([2.5, 2.49, 2.4, 2.2, 1.6, 1.0, 5.0]),
        st.sampled_from([Outcome.OK] * 7 + [Outcome.LOAD_CRASH, Outcome.INFRA, Outcome.WRONG_OUTPUT]),
        st.sampled_from([Method.EAGLE3] * 3 + [Method.NONE]),
    ),
    min_size=1,
    max_size=9,
)
"""Minor version, boot, accept length, outcome, and whether it is the baseline."""
LENT = st.sampled_from([0.0, 1e-4])


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path_factory.mktemp('course')}/history.db")
    yield opened
    opened.close()


def both(store: Store, key: str, siblings: Floors) -> tuple[Course, Course]:
    of = settings_of(SHORT)
    return course(store, prepare(store, key, of), siblings), course(
        store, prepare(store, key, of, afresh=True), siblings
    )


def concluded(found: Course) -> tuple[object, ...]:
    """All but the marks of what is stored already."""
    final, made = found.settled(found.kept())
    rows = [(r.revision, r.inputs, r.chain, r.run_id, r.verdicts, dumps([r.trace, r.leaves, r.alone])) for r in made]
    return final, found.p_values(), found.kept(), rows


def drafted(number: int, version: str = "1.0", **more: Any) -> Cell:
    """A cell of an example's own series, on a machine of its own: no other lends it noise."""
    return cell(version, hardware=Hardware("Xeon", 16, f"H{number}", 1, "570.10", "12.8"), **more)


def arrive(store: Store, number: int, at: int, arrival: Arrival) -> None:
    minor, boot, length, outcome, method = arrival
    draft = {} if method is Method.NONE else {"draft": "head"}
    of = drafted(number, f"1.{minor}", boot=boot, method=method, **draft)
    if outcome is Outcome.OK:
        served(store, of, length, at=1000 + at)
    else:
        ended(store, of, outcome, at=1000 + at)


@given(ARRIVALS, LENT)
@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_going_on_says_what_the_counters_say(history: Store, arrivals: list[Arrival], lent: float) -> None:
    number = next(NUMBERS)
    key = drafted(number, draft="head").series_key
    history.judged.keep_thresholds({key: (("sglang", drafted(number).hardware.label), SHORT)})
    siblings: Floors = {Metric.ACCEPT_LENGTH: NoiseFloor(lent, 0.0, 6.0)} if lent else {}
    for at, arrival in enumerate(arrivals):
        arrive(history, number, at, arrival)
        went_on, afresh = both(history, key, {})
        assert concluded(went_on) == concluded(afresh)
        judge_some(history, [key])
    went_on, afresh = both(history, key, siblings)
    assert concluded(went_on) == concluded(afresh)


def test_a_new_run_is_judged_by_its_own_counters_and_those_of_its_reference(
    stored: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for minor in range(12):
        served(stored, cell(f"1.{minor}"), 2.5, at=1000 + minor)
    key = cell("1.0").series_key
    judge_one(stored, key)
    served(stored, cell("1.12"), 1.0, at=3000)
    read: list[str] = []
    points_at = stored.series.points_at

    def noted(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[StoredPoint]]:
        asked = list(places)
        read.extend(revision for _, revision in asked)
        return points_at(asked)

    monkeypatch.setattr(stored.series, "points_at", noted)
    judged = judge_one(stored, key)
    assert sorted(set(read)) == sorted(["1.12", *(f"1.{minor}" for minor in range(4, 12))])
    assert judged.revisions[-1].state(Metric.ACCEPT_LENGTH) == "collapsed"


def test_what_is_judged_again_without_a_new_run_is_not_written_again(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    judge_all(stored)
    key = cell("1.0").series_key
    before = stored.memory.history(key)
    judge_some(stored, [key])
    judge_all(stored)
    assert stored.memory.history(key) == before


def test_a_baseline_that_came_later_is_taken_in(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    key = cell("1.0").series_key
    judge_one(stored, key)
    base: Cell = replace(cell("1.0", method=Method.NONE, draft=None))
    served(stored, base, 1.0, at=2000)
    speed = judge_one(stored, key).revisions[0].verdict(Metric.SPEED)
    assert dict(speed.numbers)["baseline_tok_s"] is not None


def test_a_series_hears_of_q_values_that_others_changed(stored: Store) -> None:
    """Whatever came between the control over a release and the telling."""
    for draft in ("a", "b"):
        served(stored, cell("1.0", draft=draft), 2.5, at=1000)
        served(stored, cell("1.1", draft=draft), 2.4, at=2000)
    keys = [cell("1.0", draft=draft).series_key for draft in ("a", "b")]
    for key in keys:
        judge_one(stored, key)
    assert control_releases(stored) == sorted(keys)
    told = judge_one(stored, keys[0]).revisions[1].verdict(Metric.ACCEPT_LENGTH)
    (fall,) = [f for f in stored.judged.falls_in("sglang", "1.1") if f.member == (keys[0], Metric.ACCEPT_LENGTH)]
    assert fall.q is not None and dict(told.numbers)["q"] == pytest.approx(fall.q, abs=1e-6)
    assert stored.memory.history(keys[0]).remembered["1.1"].verdicts[0] == told


def test_verdicts_that_others_stored_are_judged_afresh(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    key = cell("1.0").series_key
    first = judge_one(stored, key)
    stored.series.save_verdicts(key, {})
    assert judge_one(stored, key) == first
    assert stored.memory.history(key).remembered["1.0"].verdicts == first.revisions[0].verdicts


def test_a_run_that_comes_between_two_readings_is_taken_in(stored: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    key = cell("1.0").series_key
    history = stored.memory.history

    def late(of: str) -> History:
        found = history(of)
        monkeypatch.setattr(stored.memory, "history", history)
        served(stored, cell("1.0"), 1.0, at=2000)
        return found

    monkeypatch.setattr(stored.memory, "history", late)
    assert judge_one(stored, key).revisions[0].state(Metric.ACCEPT_LENGTH) == "collapsed"


def test_a_series_that_never_holds_still_is_refused(stored: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    monkeypatch.setattr(stored.series, "points_at", lambda places: {})
    with pytest.raises(InfraError, match="changed 20 times"):
        judge_one(stored, cell("1.0").series_key)
