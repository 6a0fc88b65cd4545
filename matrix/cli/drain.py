"""SIGTERM for services: the cell under way is finished, then the verb ends; a second one ends it at once."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

from matrix.cli.signals import interrupt


class Drain:
    """Installed by `heed`; `stopping` is True once the service was asked to end, or when `alone` says that the one it
    works for has ended.
    """

    def __init__(self, alone: Callable[[], bool] = lambda: False) -> None:
        self._asked = threading.Event()
        self._alone = alone

    def heed(self) -> None:
        """Take over SIGTERM from now on."""
        signal.signal(signal.SIGTERM, self)

    def stopping(self) -> bool:
        """Whether the service was asked to end."""
        return self._asked.is_set() or self._alone()

    def wait(self, seconds: float) -> bool:
        """Sleep, or until asked to end; True then."""
        return self._asked.wait(seconds)

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        if self._asked.is_set():
            interrupt(signum, frame)
        self._asked.set()
