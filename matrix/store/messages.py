"""Messages to people outside of the dashboard: written down first, sent then, tried again until they arrive."""

import time
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, func, select, update

from matrix.core.errors import NotFoundError
from matrix.core.message import Message, message_from
from matrix.store.redact import redact_value
from matrix.store.tables import messages
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions, insert_new

_TOO_GREAT = 2**63


class MessageStatus(StrEnum):
    """`kept`: its text lies here for somebody to paste. `failed`: given up after the last attempt."""

    WAITING = "waiting"
    SENT = "sent"
    KEPT = "kept"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message; times are Unix seconds. `next_at` is when it is tried again, None when it is not."""

    message_id: int
    config: str
    notifier: str
    kind: str
    title: str
    status: str
    attempts: int
    next_at: float | None
    error: str
    created_at: float
    sent_at: float | None


class Messages:
    """Queue of one database."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def add(self, config: str, notifier: str, told: Iterable[Message]) -> int:
        """Queue what was never told to this notifier; returns how many those were."""
        now = time.time()
        row: dict[str, Any] = {"config": config[:255], "notifier": notifier, "status": MessageStatus.WAITING.value}
        row |= {"attempts": 0, "next_at": now, "error": "", "created_at": now, "sent_at": None}
        added = 0
        with self._db.write() as conn:
            for message in told:
                new = {"key": message.key[:255], "kind": message.kind.value}
                new |= {"title": stored_text(message.title, 500), "body": redact_value(asdict(message))}
                added += insert_new(conn, messages, row | new, "config", "notifier", "key")
        return added

    def flips_told(self, config: str, notifier: str, kind: str) -> set[int]:
        """Numbers of the flips that messages of this kind to this notifier were about."""
        asked = (messages.c.config == config[:255], messages.c.notifier == notifier, messages.c.kind == kind)
        with self._db.read() as conn:
            bodies = conn.execute(select(messages.c.body).where(*asked)).scalars().all()
        return {int(cell["flip"]) for body in bodies for cell in body["cells"]}

    def due(self, config: str, notifiers: Collection[str], now: float, most: int) -> list[tuple[MessageView, Message]]:
        """The longest waiting messages to these notifiers whose time has come, at most `most`."""
        asked = (messages.c.status == MessageStatus.WAITING.value, messages.c.next_at <= now)
        mine = (messages.c.config == config[:255], messages.c.notifier.in_(list(notifiers)))
        query = select(messages).where(*asked, *mine).order_by(messages.c.next_at, messages.c.id).limit(most)
        with self._db.read() as conn:
            return [(_view(row), message_from(row.body)) for row in conn.execute(query)]

    def claim(self, view: MessageView, again_at: float) -> bool:
        """Note that it is being sent, so that nobody else does before `again_at`; False when somebody was faster."""
        same = (messages.c.attempts == view.attempts, messages.c.status == MessageStatus.WAITING.value)
        values = {"attempts": view.attempts + 1, "next_at": again_at}
        return self._change(view.message_id, values, *same) == 1

    def settle(self, message_id: int, status: MessageStatus, error: str = "") -> None:
        """It arrived, is kept, waits for its next attempt, or is given up; `error` says why it did not arrive."""
        values: dict[str, Any] = {"status": status.value, "error": stored_text(error, 500)}
        values |= {} if status is MessageStatus.WAITING else {"next_at": None}
        values |= {"sent_at": time.time()} if status in (MessageStatus.SENT, MessageStatus.KEPT) else {}
        self._change(message_id, values)

    def again(self, message_id: int) -> None:
        """Have one that was given up, or waits for its time, tried anew. NotFoundError when no such one is open."""
        values = {"status": MessageStatus.WAITING.value, "attempts": 0, "next_at": time.time()}
        open_ = messages.c.status.in_([MessageStatus.WAITING.value, MessageStatus.FAILED.value])
        if not self._change(message_id, values, open_):
            raise NotFoundError(f"no message {message_id} waits or was given up", hint="see `matrix notify`")

    def newest(self, most: int = 20) -> list[MessageView]:
        """All messages, the newest first."""
        with self._db.read() as conn:
            return [_view(row) for row in conn.execute(select(messages).order_by(messages.c.id.desc()).limit(most))]

    def counts(self) -> dict[str, int]:
        """By status, how many messages there are."""
        with self._db.read() as conn:
            query = select(messages.c.status, func.count()).group_by(messages.c.status)
            return {row[0]: row[1] for row in conn.execute(query)}

    def get(self, message_id: int) -> Message:
        """One message; NotFoundError for an unknown number."""
        with self._db.read() as conn:
            asked = messages.c.id == (message_id if 0 < message_id < _TOO_GREAT else 0)
            body = conn.execute(select(messages.c.body).where(asked)).scalar()
        if body is None:
            raise NotFoundError(f"there is no message {message_id}", hint="see `matrix notify`")
        return message_from(body)

    def _change(self, message_id: int, values: dict[str, Any], *only: Any) -> int:
        with self._db.write() as conn:
            return conn.execute(update(messages).where(messages.c.id == message_id, *only).values(**values)).rowcount


def _view(row: Row[Any]) -> MessageView:
    return MessageView(
        message_id=row.id,
        **{name: getattr(row, name) for name in MessageView.__dataclass_fields__ if name != "message_id"},
    )
