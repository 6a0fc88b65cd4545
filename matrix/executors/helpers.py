"""Further workers of a service: processes of their own, which end with it."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

GRACE_S = 24 * 3600.0
"""A cell under way is finished first; who cannot wait sends a second signal."""


@contextmanager
def helpers(count: int, words: Sequence[str]) -> Iterator[None]:
    """Run `python -m matrix WORDS` so many times; at the end each is asked to finish, and waited for.

    On an exception (Ctrl-C) they are interrupted as well.
    """
    running = [
        subprocess.Popen([sys.executable, "-m", "matrix", *words], stdin=subprocess.DEVNULL) for _ in range(count)
    ]
    try:
        yield
    except BaseException:
        for process in running:
            process.terminate()
            process.terminate()
        raise
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(timeout=GRACE_S)
