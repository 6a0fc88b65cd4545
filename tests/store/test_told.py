"""Acknowledgements and published values come back as they were given; flips are told once."""

from dataclasses import replace

import pytest

from matrix.core.ack import Ack, Scope
from matrix.core.errors import NotFoundError
from matrix.core.expectation import Bonus, Expectation
from matrix.core.state import Change, Flip, Metric, State
from matrix.store import Store
from tests.store.build import cell

ACK = Ack("k" * 16, Scope.CELL, State.COLLAPSED, "known", "accept-length", "2.0", until=99.5, created_at=5.0)
SAID = Expectation("head", 3.1, Bonus.NO, "mt-bench", 4, "https://example.org", "tiny", "vllm")


def test_acknowledgements_come_back_in_order_and_keep_their_end(store: Store) -> None:
    whole = replace(ACK, scope=Scope.SERIES, metric=None, to_revision=None, until=None)
    numbers = [store.acks.add(ack) for ack in (ACK, whole)]
    assert store.acks.all() == [replace(ACK, ack_id=numbers[0]), replace(whole, ack_id=numbers[1])]
    store.acks.remove(numbers[0], 7.0)
    assert store.acks.all()[0].removed_at == 7.0
    with pytest.raises(NotFoundError):
        store.acks.remove(numbers[0], 8.0)


def test_a_secret_in_a_reason_is_not_stored(store: Store) -> None:
    store.acks.add(replace(ACK, reason="see https://me:hunter2@host/x"))
    assert "hunter2" not in store.acks.all()[0].reason


def test_published_values_replace_those_of_the_same_draft_only(store: Store) -> None:
    plain = Expectation("other", 2.0)
    store.published.replace({"head": [SAID, replace(SAID, k=None)], "other": [plain]})
    assert store.published.of("head") == [SAID, replace(SAID, k=None)]
    store.published.replace({"head": []})
    assert (store.published.of("head"), store.published.of("other")) == ([], [plain])
    assert store.published.of(None) == store.published.of("nobody") == []


def test_a_flip_is_unannounced_until_it_was_told_and_then_for_good(store: Store) -> None:
    flip = Flip(Metric.ACCEPT_LENGTH, Change.REGRESSION, "1.0", "2.0", State.HEALTHY, State.BROKEN, "it fell")
    later = replace(flip, change=Change.FIXED, before_revision="2.0", after_revision="3.0", after=State.HEALTHY)
    numbers = store.series.save_flips(cell().series_key, [flip, later], [])
    assert [f.flip_id for f in store.series.unannounced()] == numbers
    store.series.mark_announced(numbers[:1], 5.0)
    store.series.save_flips(cell().series_key, [flip, later], [flip])
    assert [f.flip_id for f in store.series.unannounced()] == numbers[1:]
