"""Which addresses of the network a message may go to."""

import ipaddress
import socket
from collections.abc import Callable, Sequence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""RFC 6052: the last 32 bits are an IPv4 address, which may be a private one."""


def resolve(host: str, port: int) -> list[str]:
    """The addresses of `host`, in the order in which to try them. Raises OSError when it has none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def private(text: str) -> bool:
    """True unless the address is one of the public internet, also when it wraps one that is not."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return True
    return any(not a.is_global or a.is_multicast for a in (address, *_inside(address)))


def _inside(address: Address) -> list[Address]:
    """IPv4 addresses that an IPv6 one stands for: mapped, translated (NAT64) or tunnelled (6to4, Teredo)."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    # A mapped address is none of the public internet's own, whatever it maps.
    return [inner for inner in found if inner is not None]
