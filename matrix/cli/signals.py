"""Signals that end a verb as Ctrl-C does: cleaned up, exit code 130."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

BOUNCE_S = 1.0
"""A second Ctrl-C within this time is a nervous finger, and must not cut the clean-up short; a later one does."""


class Interrupt:
    """A handler that raises KeyboardInterrupt, once for each burst of signals."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._held = self._waiting = False

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._held:
            self._waiting = True
        elif now - self._last >= BOUNCE_S:
            self._last = now
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises at the end what comes meanwhile. For imports: one cut short makes Python end by SIGINT, not by 130."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self._waiting:
                self._waiting = False
                self(signal.SIGINT, None)


interrupt = Interrupt()
"""The one of this process."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heed_signals() -> None:
    """Ctrl-C, a request to stop, and a terminal that goes away. What was ignored (`nohup`, `&`) stays ignored."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)


def ignore_signals() -> None:
    """For the last moments of a verb that was interrupted: another Ctrl-C there would change the exit code."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
