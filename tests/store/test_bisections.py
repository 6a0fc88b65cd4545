"""Bisections as rows."""

import pytest

from matrix.core.errors import NotFoundError
from matrix.store import Store


def begin(store: Store, **more: object) -> int:
    asked = {"engine": "vllm", "good": "1", "bad": "9", **more}
    history = {"points": ["2", "9"], "parents": [[], [0]], "good": "1"}
    return store.bisections.begin(
        engine="vllm", level="release", question="works", request=asked, config="", history=history, owner="me"
    )


def test_answers_come_back_in_order_and_the_same_run_answers_once(store: Store) -> None:
    number = begin(store)
    first = store.bisections.answer(number, "1", "good", why="ok", run_id="r1", boot=0, phase="ends")
    again = store.bisections.answer(number, "1", "good", why="ok", run_id="r1", boot=0, phase="ends")
    store.bisections.answer(number, "2", "skip", why="no build", by_hand=True)
    found = store.bisections.get(number)
    assert again == first
    assert [(a.point, a.said, a.by_hand, a.run_id) for a in found.answers] == [
        ("1", "good", False, "r1"),
        ("2", "skip", True, None),
    ]
    assert found.history["points"] == ["2", "9"]
    assert found.status == "open"


def test_an_answer_is_taken_back_once(store: Store) -> None:
    number = begin(store)
    mine = store.bisections.answer(number, "2", "bad")
    store.bisections.undo(number, mine)
    assert store.bisections.get(number).answers == ()
    with pytest.raises(NotFoundError, match="no answer"):
        store.bisections.undo(number, mine)


def test_a_retry_gets_a_boot_of_its_own(store: Store) -> None:
    number = begin(store)
    assert store.bisections.next_boot(number, "2") == 0
    first = store.bisections.answer(number, "2", "bad", run_id="r1", boot=0)
    store.bisections.answer(number, "2", "bad", by_hand=True)
    store.bisections.answer(number, "9", "bad", run_id="r2", boot=4)
    assert store.bisections.next_boot(number, "2") == 1
    store.bisections.undo(number, first)
    assert store.bisections.next_boot(number, "2") == 1


def test_an_open_one_with_the_same_request_is_found_until_it_ends(store: Store) -> None:
    number = begin(store)
    other = begin(store, bad="8")
    asked = {"engine": "vllm", "good": "1", "bad": "9"}
    found = store.bisections.find(asked)
    assert found is not None
    assert found.bisection_id == number
    store.bisections.finish(number, "done", {"culprit": "2"})
    assert store.bisections.find(asked) is None
    assert store.bisections.get(number).report == {"culprit": "2"}
    assert [b.bisection_id for b in store.bisections.all("open")] == [other]
    assert store.bisections.get().bisection_id == other


def test_holds_last_until_the_bisection_ends(store: Store) -> None:
    one, two = begin(store), begin(store, bad="8")
    store.bisections.hold(one, "venv", "abc", "bisection 1")
    store.bisections.hold(one, "venv", "abc", "bisection 1")
    store.bisections.hold(two, "venv", "abc", "bisection 2")
    store.bisections.finish(one, "done", {})
    assert store.bisections.held() == {"abc"}
    store.bisections.finish(two, "done", {})
    assert store.bisections.held() == frozenset()


def test_what_is_not_there_is_said(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no bisection yet"):
        store.bisections.get()
    with pytest.raises(NotFoundError, match="no bisection 7"):
        store.bisections.get(7)
    with pytest.raises(NotFoundError, match="no bisection 7"):
        store.bisections.sign(7, "x")
