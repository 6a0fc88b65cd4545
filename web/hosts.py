"""Which names the dashboard answers to, so that a foreign web page cannot read it through a visitor's browser.

Such a page points a name of its own at 127.0.0.1 (DNS rebinding); what gives it away is that name in the Host header.
"""

import ipaddress
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_LOCAL = "localhost"


def allowed_names(bound: str, extra: Iterable[str] = ()) -> frozenset[str] | None:
    """Names to answer to, or None for all of them: whoever listens beyond this machine is reached by any name."""
    more = frozenset(name.lower() for name in extra)
    if not more and not _is_loopback(bound):
        return None
    return more | {bound.lower(), _LOCAL}


class AllowedHosts:
    """ASGI middleware: refuses requests to other names with 421. Addresses pass, a rebound name is never one."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self.app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._allows(name_of(Request(scope).headers.get("host", ""))):
            await self.app(scope, receive, send)
            return
        text = "This dashboard does not answer to that name. `matrix serve --allow-host NAME` makes it.\n"
        await PlainTextResponse(text, status_code=421)(scope, receive, send)

    def _allows(self, name: str) -> bool:
        return not name or name in self._names or name.endswith(f".{_LOCAL}") or _address(name) is not None


def name_of(host: str) -> str:
    """The Host header without its port, in lower case; an IPv6 address without its brackets."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_loopback(bound: str) -> bool:
    address = _address(bound)
    return address.is_loopback if address is not None else bound.lower() == _LOCAL
