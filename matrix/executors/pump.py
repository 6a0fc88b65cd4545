"""Carries what a process prints from a pipe to its log, so that the log can be bounded while it is written."""

import array
import fcntl
import os
import select
import termios
import threading
import time
from typing import IO

from matrix.executors.caplog import CappedLog

_CHUNK = 2**20
_LOOK_S = 0.5


class Pump:
    """Copies until the pipe's last writer ends, or `end` is called; then `log` is closed.

    What cannot be written is dropped, with `error` set: a writer that waits for a reader would hang for it.
    """

    def __init__(self, pipe: IO[bytes], log: CappedLog) -> None:
        self.error: OSError | None = None
        self._pipe = pipe
        self._log = log
        self._moving = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-pump", daemon=True)
        self._thread.start()

    def settle(self, seconds: float) -> None:
        """Wait until all that was printed so far is in the log, at most so long."""
        deadline = time.monotonic() + seconds
        while self._thread.is_alive() and not self._empty() and time.monotonic() < deadline:
            time.sleep(0.01)

    def end(self, seconds: float) -> None:
        """`settle`, then stop, whoever still holds the pipe."""
        self.settle(seconds)
        self._ending.set()
        self._thread.join(seconds)

    def _empty(self) -> bool:
        with self._moving:
            waiting = array.array("i", [0])
            if self._pipe.closed:
                return True
            fcntl.ioctl(self._pipe, termios.FIONREAD, waiting)
            return waiting[0] == 0

    def _run(self) -> None:
        try:
            while not self._ending.is_set():
                if select.select([self._pipe], [], [], _LOOK_S)[0] and not self._move():
                    return
        finally:
            with self._moving:
                self._pipe.close()
                self._log.close()

    def _move(self) -> bool:
        """One chunk; False at the end of the pipe. The lock makes a chunk either in the pipe or in the log."""
        with self._moving:
            chunk = os.read(self._pipe.fileno(), _CHUNK)
            if chunk and self.error is None:
                try:
                    self._log.write(chunk)
                except OSError as exc:
                    self.error = exc
            return bool(chunk)
