"""How much room a log takes while somebody writes it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def most_used(folder: Path) -> Iterator[list[int]]:
    """Yields a list whose only entry is the most bytes that the files of `folder` were seen to have together."""
    most, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.005):
            with suppress(OSError):
                most[0] = max(most[0], sum(p.stat().st_size for p in folder.iterdir()))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        done.set()
        thread.join()
