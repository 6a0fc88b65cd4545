"""Which names the dashboard answers to, so that a foreign web page cannot read it through a visitor's browser.

Such a page points a name of its own at 127.0.0.1 (DNS rebinding); what gives it away is that name in the Host header.
"""

import ipaddress
import re
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from matrix.core.errors import ConfigError, Where

_LOCAL = "localhost"
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")


def allowed_names(bound: str, extra: Iterable[str] = ()) -> frozenset[str] | None:
    """Names to answer to, or None for all of them: whoever listens beyond this machine is reached by any name.

    ConfigError for what is no name of a host.
    """
    more = frozenset(map(_checked, extra))
    if not more and not is_loopback(bound):
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


def _checked(text: str) -> str:
    """The name in lower case; ConfigError with how to write it for an address of the web or a name with its port."""
    given = text.strip().lower()
    if _NAME.fullmatch(given) or _address(given) is not None:
        return given
    host = name_of(given.rpartition("://")[2].partition("/")[0])
    named = _NAME.fullmatch(host) or _address(host) is not None
    hint = f"write --allow-host {host}" if named else "for example --allow-host matrix.example.org"
    raise ConfigError(f"`{text}` is no name of a host", hint=hint, where=Where(key="--allow-host"))


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def is_loopback(bound: str) -> bool:
    """True for an address or name that this machine alone reaches."""
    address = _address(bound)
    return address.is_loopback if address is not None else bound.lower() == _LOCAL
