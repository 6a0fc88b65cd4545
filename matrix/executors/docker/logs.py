"""Copies a container's output to a file while it runs, through restarts of the daemon."""

import threading
from pathlib import Path

from docker.errors import APIError, NotFound
from docker.models.containers import Container

from matrix.executors.docker.client import AWAY

_PAUSE_S = 0.5


class LogFollower:
    """Appends all output of `container` to `path`, from its start to its end.

    A followed log just ends when the daemon goes away. It is then read again from the start, and as many bytes as were
    already written are skipped; the daemon's copy is bounded, so beyond its bound a restart would lose lines.
    """

    def __init__(self, container: Container, path: Path) -> None:
        self._container = container
        self._path = path
        self._written = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"log-{container.short_id}", daemon=True)
        self.error: OSError | None = None
        self.daemon_was_away = False

    def start(self) -> None:
        """Open the file (so that an unwritable path fails here) and begin."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.open("ab").close()
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Wait until all output of an ended container is copied, at most so long, and end."""
        self._thread.join(seconds)
        self._done.set()

    def _run(self) -> None:
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
        with self._path.open("ab") as out:
            for chunk in self._container.logs(stream=True, follow=follow):
                fresh = chunk[skip:]
                skip = max(skip - len(chunk), 0)
                out.write(fresh)
                out.flush()
                self._written += len(fresh)
