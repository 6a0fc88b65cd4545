"""Time that passes only while every thread of a simulation sleeps: days take as long as what is computed in them."""

import heapq
import threading
from collections.abc import Callable
from itertools import count


class Clock:
    """Runs one thread of those started by `run` at a time, the one that is to wake first.

    `time` and `sleep` stand in for those of the module `time`; other threads may call `time`, but not `sleep`.
    """

    def __init__(self, now: float, passing: Callable[[float, float], None] = lambda since, until: None) -> None:
        self.now = now
        self._passing = passing
        self._sleepers: list[tuple[float, int, threading.Event]] = []
        self._number = count()
        self._failed: list[BaseException] = []

    def time(self) -> float:
        """Seconds since 1970, of the simulated world."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let the others go on until it is so much later."""
        me = threading.Event()
        heapq.heappush(self._sleepers, (self.now + max(seconds, 0.0), next(self._number), me))
        self._next()
        me.wait()
        if self._failed:
            raise SystemExit

    def run(self, parts: dict[str, Callable[[], None]]) -> None:
        """Run these together until each has returned; raises what the first of them to fail raised."""
        threads = []
        for name, act in parts.items():
            begin = threading.Event()
            heapq.heappush(self._sleepers, (self.now, next(self._number), begin))
            threads.append(threading.Thread(target=self._part, args=(begin, act), name=name))
            threads[-1].start()
        self._next()
        for thread in threads:
            thread.join()
        if self._failed:
            raise self._failed[0]

    def _part(self, begin: threading.Event, act: Callable[[], None]) -> None:
        begin.wait()
        try:
            if not self._failed:
                act()
        except BaseException as error:  # noqa: BLE001 - told by `run`
            self._failed += [] if isinstance(error, SystemExit) else [error]
        self._next()

    def _next(self) -> None:
        if self._sleepers:
            moment, _, event = heapq.heappop(self._sleepers)
            if moment > self.now:
                self._passing(self.now, moment)
                self.now = moment
            event.set()
