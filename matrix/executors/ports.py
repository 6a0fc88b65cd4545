"""Free TCP ports for servers."""

import random
import socket
from pathlib import Path

LOOPBACK = "127.0.0.1"
_LOWEST = 15_000
_TRIES = 50


def free_port(host: str = LOOPBACK) -> int:
    """A port that nobody listens on now. Another process can take it before it is used: check who answers there.

    An engine binds its port seconds after it was chosen. Ports of the range from which the kernel takes those of
    outgoing connections would now and then be gone by then, so one below that range is chosen where there is one.
    """
    highest = _outgoing_from() - 1
    for _ in range(_TRIES if highest > _LOWEST else 0):
        port = random.randint(_LOWEST, highest)  # noqa: S311  not a secret  # nosec B311
        if _bind(host, port):
            return port
    return _bind(host, 0) or 0


def _bind(host: str, port: int) -> int | None:
    with socket.socket() as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return None
        chosen: int = probe.getsockname()[1]
        return chosen


def _outgoing_from() -> int:
    """First port for outgoing connections; 32768 is Linux's default."""
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32768
