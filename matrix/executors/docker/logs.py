"""Copies a container's output to a bounded file while it runs, through restarts of the daemon."""

import threading
from pathlib import Path

from docker.errors import APIError, NotFound
from docker.models.containers import Container

from matrix.executors.caplog import CAP, MIB, CappedLog
from matrix.executors.docker.client import AWAY

DAEMON_MIB, DAEMON_FILES = 64, 2
"""What the daemon's own copy of a container's output is held below, in MiB and files."""

_PAUSE_S = 0.5
_WAIT_S = 10.0
_LAST_LINES = 5000
_REREADABLE = DAEMON_MIB * MIB // 2  # each line has some 70 bytes of JSON around it in the daemon's copy
_MISSED = b"\n[bytes that nobody counted are missing here: they came faster than they could be read]\n"


class LogFollower:
    """Appends the output of `container` to `path`, from its start to its end, of which at most `cap` bytes are kept.

    A followed log just ends when the daemon goes away. It is then read again from the start, and as many bytes as were
    already written are skipped. The daemon's copy is bounded: beyond its bound, and for what is printed faster than it
    can be read, the last lines follow a line that says so.
    """

    def __init__(self, container: Container, path: Path, cap: int = CAP) -> None:
        self._container = container
        self._path = path
        self._cap = cap
        self._written = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"log-{container.short_id}", daemon=True)
        self.error: OSError | None = None
        self.daemon_was_away = False

    def start(self) -> None:
        """Open the file (so that an unwritable path fails here) and begin."""
        self._log = CappedLog(self._path, self._cap)
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Wait until all output of an ended container is copied, at most so long; then its last lines have to do."""
        self._thread.join(seconds)
        self._done.set()
        self._thread.join(_WAIT_S)

    def _run(self) -> None:
        try:
            self._follow()
        finally:
            self._log.close()

    def _follow(self) -> None:
        while not self._done.is_set():
            try:
                self._container.reload()
                running = self._container.status not in ("exited", "dead")
                self._copy(running)
                if not running:
                    return
            except NotFound:
                return
            except APIError:
                pass
            except AWAY:
                self.daemon_was_away = True
            except OSError as exc:
                self.error = exc
                return
            self._done.wait(_PAUSE_S)

    def _copy(self, follow: bool) -> None:
        skip = self._written
        if skip > _REREADABLE:
            return self._skip_to_end(follow)
        for chunk in self._container.logs(stream=True, follow=follow):
            if self._done.is_set():
                return self._skip_to_end(follow=False)
            self._add(chunk[skip:])
            skip = max(skip - len(chunk), 0)
        return None

    def _skip_to_end(self, follow: bool) -> None:
        self._log.write(_MISSED)
        for chunk in self._container.logs(stream=True, follow=follow, tail=_LAST_LINES):
            self._add(chunk)

    def _add(self, chunk: bytes) -> None:
        self._log.write(chunk)
        self._written += len(chunk)
