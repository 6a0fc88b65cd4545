"""Leases of GPUs: never two owners of one, never half of what was asked for."""

import threading
from collections import Counter

import pytest

from matrix.store import Store

HOST, TTL = "here", 60.0


def take(store: Store, owner: str, count: int = 1, gpus: tuple[int, ...] = (0, 1), **more: object) -> object:
    asked: dict[str, object] = {"purpose": "a run", "ttl_s": TTL}
    return store.leases.take(HOST, gpus, count, owner, **(asked | more))  # type: ignore[arg-type]


def test_what_is_held_is_not_lent_again_until_it_is_released(store: Store) -> None:
    assert take(store, "a") == (0,)
    assert take(store, "b") == (1,)
    assert take(store, "c") is None
    store.leases.release(HOST, (0,), "b")
    assert take(store, "c") is None
    store.leases.release(HOST, (0,), "a")
    assert take(store, "c") == (0,)
    assert [(lease.gpu, lease.owner, lease.purpose) for lease in store.leases.held(HOST)] == [
        (0, "c", "a run"),
        (1, "b", "a run"),
    ]


def test_too_few_are_none_and_hosts_are_apart(store: Store) -> None:
    assert take(store, "a") == (0,)
    assert take(store, "b", count=2) is None
    assert len(store.leases.held()) == 1
    assert store.leases.take("there", (0, 1), 2, "b", purpose="", ttl_s=TTL) == (0, 1)
    assert [lease.host for lease in store.leases.held()] == ["here", "there", "there"]


def test_what_has_expired_or_whose_owner_died_is_taken_over(store: Store) -> None:
    assert take(store, "expired", ttl_s=-1) == (0,)
    assert take(store, "dead") == (0,)
    assert take(store, "b", gpus=(0,)) is None
    assert take(store, "b", gpus=(0,), is_alive=lambda owner: owner != "dead") == (0,)


def test_a_clock_set_back_neither_ends_a_lease_nor_makes_it_last_for_ever(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(moment: float) -> None:
        monkeypatch.setattr("matrix.store.leases.time.time", lambda: moment)

    at(1_000_000.0)
    assert take(store, "renews") == (0,) and take(store, "silent") == (1,)
    at(1_000.0)
    assert take(store, "late") is None
    at(1_000.0 + TTL - 1)
    assert store.leases.renew(HOST, (0,), "renews", TTL) and take(store, "late") is None
    at(1_000.0 + TTL + 1)
    assert take(store, "late") == (1,)
    assert [lease.owner for lease in store.leases.held(HOST)] == ["renews", "late"]


def test_only_the_holder_renews(store: Store) -> None:
    assert take(store, "a", count=2) == (0, 1)
    before = store.leases.held(HOST)[0].expires_at
    assert store.leases.renew(HOST, (0, 1), "a", 10 * TTL)
    assert store.leases.held(HOST)[0].expires_at > before + 5 * TTL
    assert not store.leases.renew(HOST, (0, 1), "b", TTL)
    store.leases.release(HOST, (1,), "a")
    assert not store.leases.renew(HOST, (0, 1), "a", TTL)


def test_threads_never_share_a_gpu_and_never_hold_half(store: Store) -> None:
    """Eight threads ask for two GPUs of four, over and over: whoever holds some holds two, alone."""
    held: Counter[int] = Counter()
    wrong: list[object] = []
    guard = threading.Lock()

    def work(owner: str) -> None:
        rounds = 0
        while rounds < 5:
            got = store.leases.take(HOST, (0, 1, 2, 3), 2, owner, purpose="", ttl_s=TTL)
            if got is None:
                continue
            with guard:
                held.update(got)
                wrong.extend([got] if len(got) != 2 or max(held.values()) > 1 else [])
            renewed = store.leases.renew(HOST, got, owner, TTL)
            with guard:
                held.subtract(got)
                wrong.extend([] if renewed else [got])
            store.leases.release(HOST, got, owner)
            rounds += 1

    threads = [threading.Thread(target=work, args=(f"owner {i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert store.leases.held() == []
