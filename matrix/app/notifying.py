"""Tells people: writes the messages down, sends those whose time has come, and tries again what did not arrive."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from matrix.app.news import news
from matrix.core.errors import ConfigError, InfraError, Where
from matrix.core.message import Message, MessageKind
from matrix.notify import MAKERS, NotifyError, post
from matrix.plan.notify import ENV, NotifyTable
from matrix.store import Store, hide
from matrix.store.messages import MessageStatus, MessageView
from matrix.store.views import FlipView

FIRST_PAUSE_S, LONGEST_PAUSE_S, MOST_TRIES = 60.0, 6 * 3600.0, 14
"""Pauses double from a minute to six hours: a receiver that is away for a day misses nothing."""

_LEAST_SECRET = 8

MOST_AT_ONCE = 5
"""Each may take ten seconds, and the calendar waits meanwhile."""


@dataclass(frozen=True, slots=True)
class Receivers:
    """The tables `[notify.NAME]` of one config file, named by its path. `post` and `environ` can be replaced."""

    config: str
    tables: Mapping[str, NotifyTable]
    post: Callable[..., None] = post
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def send(self, name: str, message: Message) -> bool:
        """Send it now; False for one without an address, who only keeps texts. NotifyError when it does not arrive."""
        table = self.tables[name]
        if table.url is None:
            return False
        url = self._value(table.url)
        token = self._value(table.token) if table.token else None
        try:
            self.post(MAKERS[table.kind](message, url, token), allow_private=table.allow_private)
        except NotifyError as error:
            # What a receiver answers may repeat what it was asked.
            path = url.partition("://")[2].partition("/")[2]
            secrets = [part for part in (url, token or "", path) if len(part) >= _LEAST_SECRET]
            raise NotifyError(hide(str(error), secrets)) from None
        return True

    def test(self, name: str, message: Message) -> bool:
        """As `send`. Raises ConfigError for a name that the file lacks, InfraError when it does not arrive."""
        where = Where(self.config, key=f"notify.{name}")
        if name not in self.tables:
            known = ", ".join(sorted(self.tables)) or "none"
            raise ConfigError(f"nobody is called `{name}` (in this file: {known})", where=where)
        try:
            return self.send(name, message)
        except NotifyError as error:
            raise InfraError(str(error), where=where) from None

    def _value(self, text: str) -> str:
        if not text.startswith(ENV):
            return text
        name = text.removeprefix(ENV)
        if not self.environ.get(name):
            raise NotifyError(f"the variable {name} is not set")
        return self.environ[name]


@dataclass(frozen=True, slots=True)
class Notifying:
    """Tells `to` what a night brought."""

    store: Store
    to: Receivers
    say: Callable[[str], None]
    clock: Callable[[], float] = time.time

    def queue(self, flips: Sequence[FlipView]) -> int:
        """Write down what these flips ask to be told; returns how many messages are new.

        Call it before the flips count as announced: then what is interrupted is made up for, and told once.
        """
        found = news(self.store, flips) if self.to.tables else []
        return sum(self._queue(name, table, found) for name, table in self.to.tables.items())

    def deliver(self) -> None:
        """Send what is due; a failure is told, noted in its row, and tried again later."""
        if not self.to.tables:
            return
        for view, message in self.store.messages.due(self.to.config, self.to.tables, self.clock(), MOST_AT_ONCE):
            pause = min(FIRST_PAUSE_S * 2**view.attempts, LONGEST_PAUSE_S)
            if self.store.messages.claim(view, self.clock() + pause):
                self._deliver(view, message)

    def _queue(self, name: str, table: NotifyTable, found: Sequence[Message]) -> int:
        wanted = []
        told = {kind: self.store.messages.flips_told(self.to.config, name, kind.value) for kind in MessageKind}
        for message in (m for m in found if table.wants(m.kind)):
            cells = tuple(cell for cell in message.cells if cell.flip not in told[message.kind])
            # A cause that was told of may have another number by now, or more cells: it is the same news.
            known = message.kind is MessageKind.NEW and len(cells) < len(message.cells)
            wanted += [replace(message, cells=cells)] if cells and not known else []
        return self.store.messages.add(self.to.config, name, wanted)

    def _deliver(self, view: MessageView, message: Message) -> None:
        try:
            sent = self.to.send(view.notifier, message)
        except NotifyError as error:
            last = view.attempts + 1 >= MOST_TRIES
            status = MessageStatus.FAILED if last else MessageStatus.WAITING
            self.store.messages.settle(view.message_id, status, str(error))
            ends = f"given up; `matrix notify --again {view.message_id}`" if last else "it is tried again"
            self.say(f"message {view.message_id} to {view.notifier} did not arrive: {error} ({ends})")
            return
        self.store.messages.settle(view.message_id, MessageStatus.SENT if sent else MessageStatus.KEPT)
