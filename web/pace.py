"""How often a page may ask again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_SHARE = 0.05


@dataclass(slots=True)
class Cost:
    """Processor seconds that the block of `timed` took in its thread."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Cost]:
    cost, begun = Cost(), time.thread_time()
    try:
        yield cost
    finally:
        cost.seconds = time.thread_time() - begun


def interval(poll_s: float, cost_s: float) -> float:
    """Seconds until the next update: `poll_s`, or longer where answers are dear.

    A page may keep this machine busy for a twentieth of the time: the same machine may be measuring speed.
    """
    return round(max(poll_s, cost_s / _SHARE), 1)
