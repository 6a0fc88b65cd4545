"""Values that take seconds to work out: kept for a while, so that a page of them is quick."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """What `work` returned, for `seconds`. Callers that come meanwhile wait for the one that works it out."""

    def __init__(self, work: Callable[[], Value], seconds: float) -> None:
        self._work = work
        self._seconds = seconds
        self._lock = Lock()
        self._value: Value | None = None
        self._until = float("-inf")

    def get(self) -> Value:
        with self._lock:
            if self._value is None or time.monotonic() >= self._until:
                self._value = self._work()
                self._until = time.monotonic() + self._seconds
            return self._value
