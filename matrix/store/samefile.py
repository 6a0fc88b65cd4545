"""Notices that a database file is gone: SQLite goes on writing to a deleted file, and all of it is lost at the end."""

from pathlib import Path
from threading import Lock

from matrix.core.errors import InfraError, Where


class SameFile:
    """Remembers which file lay at `path` when it was opened. Safe to call from several threads."""

    def __init__(self, path: Path) -> None:
        # Absolute, since a process may change its folder and would then look elsewhere than SQLite did.
        self._path = path.absolute()
        self._name = str(path)
        self._lock = Lock()
        self._opened = self._read = self._mark()

    def check(self) -> None:
        """For writers. Raises InfraError unless the file that was opened still lies there."""
        mark = self._mark()
        if mark != self._opened:
            raise self._error("was removed" if mark is None else "was replaced by another")

    def changed(self) -> bool:
        """For readers: True once for each new file, which is then read. Raises InfraError while there is none."""
        mark = self._mark()
        if mark is None:
            raise self._error("was removed")
        with self._lock:
            before, self._read = self._read, mark
        return before != mark

    def _error(self, fault: str) -> InfraError:
        hint = "put it back, or run `matrix sweep` again: what was measured since then is lost"
        return InfraError(f"the database file {fault} while it was in use", hint=hint, where=Where(self._name))

    def _mark(self) -> tuple[int, int] | None:
        try:
            facts = self._path.stat()
        except FileNotFoundError:
            return None
        return facts.st_dev, facts.st_ino
