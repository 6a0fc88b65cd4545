"""Further workers of a service: processes of their own, started again when they die, which end with it."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from matrix.core.errors import Exit

GRACE_S = 24 * 3600.0
"""A cell under way is finished first; who cannot wait sends a second signal."""
LOOK_S = 1.0
SHORT_LIFE_S, LONGEST_PAUSE_S = 60.0, 60.0
PROGRAM = (sys.executable, "-m", "matrix")


@contextmanager
def helpers(
    count: int, words: Sequence[str], say: Callable[[str], None], program: Sequence[str] = PROGRAM
) -> Iterator[None]:
    """Run `PROGRAM WORDS` so many times; at the end each is asked to finish, and waited for.

    One that is killed or fails is told of and started again: at once, or after a growing pause when it had not lived a
    minute. One that ends with 0 or as interrupted was asked to by somebody, and stays ended. On an exception (Ctrl-C)
    they are interrupted as well.
    """
    kept = [_Helper([*program, *words]) for _ in range(count)]
    over = threading.Event()
    keeper = threading.Thread(target=_keep, args=(kept, over, say), name="helpers", daemon=True)
    keeper.start()
    try:
        yield
    except BaseException:
        for helper in kept:
            helper.process.terminate()
        raise
    finally:
        over.set()
        keeper.join()
        for helper in kept:
            helper.process.terminate()
        for helper in kept:
            helper.process.wait(timeout=GRACE_S)


def _keep(kept: Sequence["_Helper"], over: threading.Event, say: Callable[[str], None]) -> None:
    while not over.wait(LOOK_S):
        for helper in kept:
            if said := helper.look():
                say(said)


@dataclass(slots=True)
class _Helper:
    """One worker. `due` is when (monotonic seconds) a dead one is started again, None while none is dead."""

    command: list[str]
    process: "subprocess.Popen[bytes]" = field(init=False)
    begun: float = field(init=False)
    pause: float = 0.0
    due: float | None = None

    def __post_init__(self) -> None:
        self._start()

    def look(self) -> str:
        """Start it again when its time has come; what is to be told, empty for nothing."""
        code = self.process.poll()
        if code in (None, Exit.OK, Exit.INTERRUPTED):
            return ""
        now = time.monotonic()
        if self.due is None:
            short = now - self.begun < SHORT_LIFE_S
            self.pause = min(LONGEST_PAUSE_S, 2 * self.pause or LOOK_S) if short else 0.0
            self.due = now + self.pause
            how = f"was killed by signal {-code}" if code < 0 else f"failed with exit status {code}"
            return f"worker {self.process.pid} {how}: another is started in {self.pause:.0f} s"
        if now >= self.due:
            self._start()
        return ""

    def _start(self) -> None:
        self.due, self.begun = None, time.monotonic()
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL)
