"""Acknowledged regressions stay visible and stop counting, until a date, a removal, or a worse state."""

from dataclasses import replace

import pytest

from matrix.app.acks import acks_for, given_reason, until_moment
from matrix.app.attribute import counting, regressions
from matrix.app.regression import Regression
from matrix.core.ack import Scope
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store import Store
from tests.app.stored import cell, ended, judged, served
from tests.databases import on_both

NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC
DAY = 86_400.0
LOW = 1.6


@pytest.fixture
def fallen(stored: Store) -> Store:
    """Three cells of one target: two fell together, the third for another reason."""
    for method, draft in ((Method.EAGLE3, "head"), (Method.EAGLE, "older"), (Method.MTP, None)):
        served(stored, cell("1.0", method=method, draft=draft), 2.5, at=1000)
    served(stored, cell("1.1", draft="head"), LOW, at=2000)
    served(stored, cell("1.1", method=Method.EAGLE, draft="older"), LOW, at=2000)
    ended(stored, cell("1.1", method=Method.MTP, draft=None), Outcome.LOAD_CRASH, at=2000)
    return judged(stored)


def add(store: Store, *named: str, scope: Scope | None = None, until: float | None = None) -> list[Regression]:
    """Acknowledge and look again."""
    for ack in acks_for(named, regressions(store), scope=scope, reason="known", until=until, now=NOW):
        store.acks.add(ack)
    return regressions(store, now=NOW + 1)


def one(store: Store, method: str = "eagle3") -> Regression:
    return next(item for item in regressions(store, now=NOW + 1) if item.method == method)


def covered(items: list[Regression]) -> set[str]:
    return {item.method for item in items if item.ack}


@on_both
def test_a_cell_a_group_and_a_series(fallen: Store) -> None:
    flip = one(fallen)
    assert covered(add(fallen, str(flip.flip_id))) == {"eagle3"}
    assert covered(add(fallen, str(flip.flip_id), scope=Scope.GROUP)) == {"eagle3", "eagle"}
    assert covered(add(fallen, one(fallen, "mtp").series_key)) == {"eagle3", "eagle", "mtp"}
    assert counting(fallen) == [] and len(fallen.read.regressions()) == 3


def test_it_stays_visible_with_its_reason(fallen: Store) -> None:
    (found,) = [item for item in add(fallen, str(one(fallen).flip_id), until=NOW + DAY) if item.ack]
    assert found.ack is not None and (found.ack.reason, found.ack.until) == ("known", NOW + DAY)
    assert (found.status, found.standing, found.counts) == ("acknowledged", True, False)


def test_it_ends_with_its_date(fallen: Store) -> None:
    flip = one(fallen)
    add(fallen, str(flip.flip_id), until=NOW + DAY)
    later = {item.flip_id: item for item in regressions(fallen, now=NOW + DAY)}[flip.flip_id]
    assert (later.ack, later.counts, later.ack_ended) == (None, True, "acknowledgement 1 has expired")


@on_both
def test_it_ends_by_removal_and_is_remembered(fallen: Store) -> None:
    add(fallen, str(one(fallen).flip_id))
    fallen.acks.remove(1, NOW + 5)
    assert covered(regressions(fallen)) == set()
    assert [ack.removed_at for ack in fallen.acks.all()] == [NOW + 5]
    with pytest.raises(NotFoundError, match="no acknowledgement 1"):
        fallen.acks.remove(1, NOW + 6)


def test_it_ends_when_the_state_gets_worse(fallen: Store) -> None:
    add(fallen, one(fallen).series_key)
    served(fallen, cell("1.2", draft="head"), LOW, at=3000)
    judged(fallen)
    assert one(fallen).ack is not None
    served(fallen, cell("1.3", draft="head"), 1.0, at=4000)
    judged(fallen)
    found = one(fallen)
    assert (found.ack, found.now) == (None, "collapsed")
    assert found.ack_ended == "acknowledgement 1 was for degraded, and it is collapsed now"
    assert one(add_again(fallen, found)).ack is not None


def add_again(store: Store, item: Regression) -> Store:
    add(store, str(item.flip_id))
    return store


def test_it_does_not_cover_the_next_regression_of_the_cell(fallen: Store) -> None:
    add(fallen, str(one(fallen).flip_id))
    served(fallen, cell("1.2", draft="head"), 2.5, at=3000)
    served(fallen, cell("1.3", draft="head"), LOW, at=4000)
    judged(fallen)
    assert one(fallen).to_revision == "1.3" and one(fallen).ack is None


@on_both
def test_it_outlives_a_judgement_drawn_again(fallen: Store) -> None:
    add(fallen, str(one(fallen).flip_id))
    judged(judged(fallen))
    assert covered(regressions(fallen, now=NOW + 1)) == {"eagle3"}


@pytest.mark.parametrize("name", ["99", "0123456789abcdef", "nonsense", ""])
def test_what_does_not_stand_cannot_be_acknowledged(fallen: Store, name: str) -> None:
    with pytest.raises(NotFoundError, match="matrix regressions"):
        add(fallen, name)


def test_only_worse_states_are_worse(fallen: Store) -> None:
    (ack,) = acks_for([str(one(fallen).flip_id)], regressions(fallen), scope=None, reason="r", until=None, now=NOW)
    assert ack.state.worse_than(ack.state) is False
    assert replace(ack, until=NOW).holds(NOW) is False and ack.holds(NOW)


@pytest.mark.parametrize(
    ("text", "moment"),
    [("30d", NOW + 30 * DAY), ("12h", NOW + DAY / 2), ("2w", NOW + 14 * DAY), ("2027-01-15", 1_800_057_600.0)],
)
def test_spans_and_dates(text: str, moment: float) -> None:
    assert until_moment(text, NOW) == moment


@pytest.mark.parametrize("text", ["", "0d", "30", "-3d", "2027-02-30", "2027-01-14", "tomorrow", "99999999d"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--until"):
        until_moment(text, NOW)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  known \n upstream ", "known upstream"),
        ("a\u202eb\x1b[31mc", "a bc"),
        ("api_key=sk-1234567890abcdef", "api_key="),
    ],
)
def test_a_reason_is_one_line_of_what_can_be_seen(typed: str, kept: str) -> None:
    assert given_reason(typed).startswith(kept) and given_reason(typed).isprintable()
    assert "sk-1234567890abcdef" not in given_reason(typed)


@pytest.mark.parametrize("typed", ["", " ", "\x00", "\x1b[31m", "\u200b", "x" * 2001])
def test_no_reason_and_an_endless_one_are_refused(typed: str) -> None:
    with pytest.raises(ConfigError):
        given_reason(typed)
