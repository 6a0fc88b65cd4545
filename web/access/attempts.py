"""Wrong tokens by address, so that nobody can try many of them."""

import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

MOST = 10
WINDOW_S = 60.0
_ADDRESSES = 10_000


class Attempts:
    """After `MOST` wrong tokens within `WINDOW_S` an address must wait until the oldest of them is that old.

    Safe to call from several threads. Of more than ten thousand addresses the one that was heard of longest ago is
    forgotten.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = Lock()

    def wait_s(self, address: str) -> float:
        """How long the address must wait before its next token is looked at; 0 for not at all."""
        with self._lock:
            times = self._wrong.get(_place(address))
            if times is None or len(times) < MOST:
                return 0.0
            return max(0.0, times[0] + WINDOW_S - self._clock())

    def wrong(self, address: str) -> None:
        """Note a wrong token."""
        place = _place(address)
        with self._lock:
            self._wrong.setdefault(place, deque(maxlen=MOST)).append(self._clock())
            self._wrong.move_to_end(place)
            if len(self._wrong) > _ADDRESSES:
                self._wrong.popitem(last=False)


def _place(address: str) -> str:
    """Whoever has an IPv6 address has its whole /64."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 6 and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
