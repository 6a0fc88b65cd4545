"""The artifacts that may be needed next are built while a point is measured.

Only where the engine runs on GPUs: on a CPU a build would slow down what is being measured. The locks of the executors
keep a build that the search needs meanwhile from being made twice: it waits for this one.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from matrix.app.bisect.abreast import end_threads
from matrix.bisect.answers import Answer, Said
from matrix.bisect.search import State, decide
from matrix.core.errors import MatrixError

Build = Callable[[int, Path], None]
"""Makes the artifact of a point where it is not there; its output goes to the file."""


def likely_next(state: State, asked: Sequence[int]) -> tuple[int, ...]:
    """Points that would be asked after each of `asked` said good, and after it said bad; without those of `asked`."""
    found: dict[int, None] = {}
    for point in asked:
        for said in (Said.GOOD, Said.BAD):
            found |= dict.fromkeys(decide(state.told([Answer(point, said)])).points)
    return tuple(point for point in found if point not in asked)


@dataclass(slots=True)
class Ahead:
    """Builds in a thread of its own, one point after another; `failed` names those that could not be built."""

    build: Build
    log: Path
    failed: list[int] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def prepare(self, points: Sequence[int]) -> None:
        """Begin with these points, unless earlier ones are still being built."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._thread = threading.Thread(target=self._work, args=(tuple(points),), name="ahead", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Interrupt the build that is under way, as Ctrl-C would, and begin no further one."""
        self._stop.set()
        if self._thread is not None:
            end_threads([self._thread])

    def _work(self, points: Sequence[int]) -> None:
        with suppress(KeyboardInterrupt):
            for point in points:
                if not self._stop.is_set():
                    self._make(point)

    def _make(self, point: int) -> None:
        try:
            self.build(point, self.log)
        except MatrixError:
            # The search itself meets the same failure when it comes to the point, and says so there.
            self.failed.append(point)
