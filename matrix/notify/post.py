"""One POST to an address that a person wrote down: checked after its name was resolved, never redirected, bounded."""

import http.client
import json
import os
import socket
import ssl
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from matrix import __version__
from matrix.notify.addresses import Resolve, private, resolve

LIMIT_S = 10.0
"""For all of it: connecting, sending, and the answer."""

MOST_SENT = 2**18
MOST_READ = 2**11


class NotifyError(Exception):
    """Why it did not arrive, in words that hold no part of the address but its host."""


@dataclass(frozen=True, slots=True, repr=False)
class Request:
    """`url` and `headers` may hold secrets, so they are not shown. `body` is sent as JSON."""

    url: str
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


def post(
    request: Request, *, allow_private: bool = False, limit_s: float = LIMIT_S, resolving: Resolve = resolve
) -> None:
    """Send it; NotifyError unless the answer's status is 2xx.

    The connection goes to the very address that was checked, so that a name cannot mean another one a moment later.
    Proxies are not used: what lies behind them could not be checked.
    """
    parts = _parts(request.url)
    body = json.dumps(request.body, ensure_ascii=False).encode()
    if len(body) > MOST_SENT:
        raise NotifyError(f"the message has {len(body)} bytes, more than {MOST_SENT}")
    address = _address(parts, allow_private, resolving)
    try:
        with closing(_connected(parts, address, limit_s)) as connection:
            status, said = _exchange(connection, parts, request.headers, body, limit_s)
    except ssl.SSLError:
        raise NotifyError(f"{parts.hostname}: its certificate is not trusted, or it speaks no TLS") from None
    except TimeoutError:
        raise NotifyError(f"{parts.hostname}: no answer within {limit_s:g} s") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise NotifyError(f"{parts.hostname}: {why}") from None
    _check(parts, status, said)


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        named = False
    if not named:
        raise NotifyError("the address is none (expected https://HOST/PATH)")
    return parts


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _address(parts: SplitResult, allow_private: bool, resolving: Resolve) -> str:
    """The address to connect to; refused when any that the name stands for is not public."""
    host = parts.hostname or ""
    try:
        found = resolving(host, _port(parts))
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise NotifyError(f"{host}: no such host")
    refused = [address for address in found if private(address)]
    if refused and not allow_private:
        hint = "set `allow_private = true` if that is meant"
        name = f"{host} is {refused[0]}, which" if refused[0] != host else host
        raise NotifyError(f"{name} is no address of the public internet ({hint})")
    return found[0]


def _connected(parts: SplitResult, address: str, limit_s: float) -> http.client.HTTPConnection:
    host, port = parts.hostname or "", _port(parts)
    connection = http.client.HTTPConnection(host, port, timeout=limit_s)
    plain = socket.create_connection((address, port), timeout=limit_s)
    try:
        connection.sock = _context().wrap_socket(plain, server_hostname=host) if parts.scheme == "https" else plain
    except BaseException:
        plain.close()
        raise
    return connection


def _context() -> ssl.SSLContext:
    chosen = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE")
    return ssl.create_default_context(cafile=chosen or DEFAULT_CA_BUNDLE_PATH)


def _exchange(
    connection: http.client.HTTPConnection, parts: SplitResult, headers: dict[str, str], body: bytes, limit_s: float
) -> tuple[int, str]:
    """Status and the beginning of what was answered. TimeoutError also for an answer that drips in for too long."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    watch = threading.Timer(limit_s, cut)
    watch.start()
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        own = {"Content-Type": "application/json", "User-Agent": f"specmatrix/{__version__}", "Connection": "close"}
        connection.request("POST", path, body, own | headers)
        answer = connection.getresponse()
        return answer.status, answer.read(MOST_READ).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        if late.is_set():
            raise TimeoutError from None
        raise
    finally:
        watch.cancel()


def _check(parts: SplitResult, status: int, said: str) -> None:
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise NotifyError(f"{parts.hostname} redirects (HTTP {status}), which is not followed: give the final address")
    words = " ".join(said.split())[:200]
    raise NotifyError(f"{parts.hostname} answers HTTP {status}{f': {words}' if words else ''}")
