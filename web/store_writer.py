"""The real store as what the dashboard changes."""

import time
from dataclasses import replace

from matrix.app.acks import acks_for, given_reason, until_moment
from matrix.app.attribute import falls
from matrix.core.ack import Ack, Scope
from matrix.core.errors import ConfigError, Where
from matrix.store import Store


class StoreWriter:
    """See `web.writer.Writer`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def check(self, token: str, /) -> str | None:
        return self._store.tokens.check(token)

    def stands(self, name: str, /) -> bool:
        return self._store.tokens.stands(name)

    def acknowledge(self, flip_id: int, /, reason: str, scope: str, until: str) -> list[Ack]:
        now = time.time()
        reason, chosen = given_reason(reason, "reason"), _scope(scope)
        end = until_moment(until, now, "until") if until else None
        known = falls(self._store, self._store.read.flip(flip_id).series_key, standing=True, now=now)
        found = acks_for([str(flip_id)], known, scope=chosen, reason=reason, until=end, now=now)
        return [replace(ack, ack_id=self._store.acks.add(ack)) for ack in found]

    def end_acknowledgement(self, ack_id: int, /) -> None:
        self._store.acks.remove(ack_id, time.time())


def _scope(text: str) -> Scope | None:
    try:
        return Scope(text) if text else None
    except ValueError:
        hint = f"known: {', '.join(scope.value for scope in Scope)}"
        raise ConfigError(f"`{text}` is no scope", hint=hint, where=Where(key="scope")) from None
