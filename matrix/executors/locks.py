"""One builder at a time for one artifact, over all processes of this host."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def held(path: Path, what: str, note: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock file at `path`; says through `note` when another process has it. Killed holders lose it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        note(f"waiting for another process that works on the same {what}")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
