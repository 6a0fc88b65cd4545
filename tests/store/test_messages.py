"""Messages on both databases: written once, sent by one, counted."""

from dataclasses import replace

import pytest

from matrix.core.errors import NotFoundError
from matrix.core.message import CellNews, Message, MessageKind
from matrix.store import Store
from matrix.store.messages import MessageStatus

TOLD = Message(
    MessageKind.NEW, 5, "vllm", "1.1", "it fell, api_key=hunter22hunter22", "", (CellNews(5, "c", "a", "b", "r"),)
)


def test_a_key_is_written_once_for_each_receiver(store: Store) -> None:
    assert store.messages.add("a", "ops", [TOLD, TOLD, replace(TOLD, cause=6)]) == 2
    assert store.messages.add("a", "ops", [TOLD]) == 0
    assert store.messages.add("a", "team", [TOLD]) == store.messages.add("b", "ops", [TOLD]) == 1
    assert store.messages.flips_told("a", "ops", "new") == {5}
    assert store.messages.flips_told("a", "ops", "fixed") == set()


def test_what_is_due_is_claimed_by_one_and_settled(store: Store) -> None:
    store.messages.add("a", "ops", [TOLD])
    ((view, message),) = store.messages.due("a", ["ops"], 1e12, 5)
    assert (message.key, message.cells) == (TOLD.key, TOLD.cells)
    assert store.messages.due("b", ["ops"], 1e12, 5) == store.messages.due("a", ["x"], 1e12, 5) == []
    assert [store.messages.claim(view, 1e11) for _ in range(2)] == [True, False]
    assert store.messages.due("a", ["ops"], 1e11 - 1, 5) == []
    store.messages.settle(view.message_id, MessageStatus.SENT)
    (row,) = store.messages.newest()
    assert (row.status, row.attempts, row.next_at) == ("sent", 1, None) and row.sent_at is not None
    assert store.messages.counts() == {"sent": 1}
    with pytest.raises(NotFoundError):
        store.messages.again(view.message_id)
    with pytest.raises(NotFoundError):
        store.messages.get(99)


def test_secrets_are_in_no_row(store: Store) -> None:
    store.messages.add("a", "ops", [TOLD])
    assert "hunter22" not in store.messages.newest()[0].title + str(store.messages.get(1))
