"""Waits for a database or disk that is out of order, so that what was measured is not lost."""

import time
from collections.abc import Callable
from typing import TypeVar

from matrix.app.terms import Terms
from matrix.core.errors import InfraError
from matrix.store import ClaimLostError

T = TypeVar("T")
PAUSE_S = 2.0


def patiently(
    act: Callable[[], T],
    terms: Terms,
    say: Callable[[str], None],
    pause: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.monotonic,
) -> T:
    """What `act` returns. While the machine fails it, it is asked again, for as long as the terms have patience.

    `say` is told of each cause once. Raises the last InfraError when patience ends or the service is to stop, and
    ClaimLostError at once: no waiting brings a claim back.
    """
    ends, told = now() + terms.patience_s, ""
    while True:
        try:
            return act()
        except ClaimLostError:
            raise
        except InfraError as error:
            if now() >= ends or terms.stopping():
                raise
            if str(error) != told:
                told = str(error)
                say(f"{told}; the run waits to be stored")
            pause(PAUSE_S)
