"""Tokens: told once, kept as hashes, checked, revoked."""

import pytest

from matrix.core.errors import ConfigError, NotFoundError
from matrix.store import Store
from matrix.store.tables import tokens
from matrix.store.tokens import PREFIX, hashed


def test_a_token_is_known_by_its_hash_alone(store: Store) -> None:
    token = store.tokens.create("ci")
    assert token.startswith(PREFIX)
    assert len(token) > 40
    with store._db.read() as conn:
        (row,) = conn.execute(tokens.select()).mappings().all()
    assert row["hash"] == hashed(token)
    assert not any(token in str(value) for value in row.values())


def test_only_a_standing_token_counts(store: Store) -> None:
    ci, other = store.tokens.create("ci"), store.tokens.create("other")
    assert ci != other
    assert (store.tokens.check(ci), store.tokens.check(other)) == ("ci", "other")
    assert [store.tokens.check(text) for text in ("", "nonsense", ci[:-1], ci + "x", "\u00fcber")] == [None] * 5
    store.tokens.revoke("ci")
    assert (store.tokens.check(ci), store.tokens.check(other)) == (None, "other")


def test_uses_and_revocations_are_listed(store: Store) -> None:
    token = store.tokens.create("ci")
    store.tokens.create("unused")
    store.tokens.check(token)
    store.tokens.revoke("ci")
    first, second = store.tokens.all()
    assert first.last_used_at is not None
    assert first.revoked_at is not None
    assert (second.name, second.last_used_at, second.revoked_at) == ("unused", None, None)


def test_names_are_used_once_and_must_stand_to_be_revoked(store: Store) -> None:
    store.tokens.create("ci")
    store.tokens.revoke("ci")
    for name, words in (("ci", "already"), ("", "1 to 255"), ("x" * 256, "1 to 255")):
        with pytest.raises(ConfigError, match=words):
            store.tokens.create(name)
    for name in ("ci", "nobody"):
        with pytest.raises(NotFoundError, match=f"no token called `{name}`"):
            store.tokens.revoke(name)
