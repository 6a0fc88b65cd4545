"""One HTTP exchange with a deadline and a size limit; every failure is an `EngineFaultError`."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import HTTPError

from matrix.core.errors import ConfigError
from matrix.probes.faults import EngineFaultError, Fault

BODY_LIMIT = 16 * 2**20
CONNECT_S = 5.0
_EXCERPT = 300
_CHUNK = 2**16
_LOOPBACK = ("localhost", "127.", "::1")


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer; `seconds` is wall time from sending to the last byte."""

    status: int
    body: bytes
    seconds: float

    @property
    def excerpt(self) -> str:
        """The first characters of the body on one line."""
        text = self.body[: 4 * _EXCERPT].decode("utf-8", "replace")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT]


class Transport:
    """HTTP to one server, safe to use from threads. Each request has its own connection: a kept one could go stale."""

    def __init__(self, url: str, key: str | None = None) -> None:
        host = _host(url)
        self.url = url.rstrip("/")
        self._auth = _bearer(key) if key else None
        # A proxy from the environment would stand between us and a server of this machine.
        self._trust_env = not host.startswith(_LOOPBACK)

    def exchange(self, method: str, path: str, timeout_s: float, body: dict[str, Any] | None = None) -> Reply:
        """Send and read the whole answer within `timeout_s`, whatever its status.

        A server that never ends its header lines is held by the HTTP library's own limits (`timeout_s` a line).
        """
        start = time.monotonic()
        limits = (min(CONNECT_S, timeout_s), timeout_s)
        try:
            with (
                self._http() as http,
                http.request(
                    method, self.url + path, json=body, timeout=limits, stream=True, allow_redirects=False
                ) as response,
            ):
                content = _read(response, path, start + timeout_s)
                return Reply(response.status_code, content, time.monotonic() - start)
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            raise _fault(error, f"{method} {path}", timeout_s) from error

    def _http(self) -> requests.Session:
        http = requests.Session()
        http.trust_env = self._trust_env
        http.headers.update({"Connection": "close", "Accept-Encoding": "identity"})
        # As `auth` and not as a header, which a `.netrc` of this user would replace.
        http.auth = self._auth
        return http


def _bearer(key: str) -> Callable[[requests.PreparedRequest], requests.PreparedRequest]:
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError(
            "the API key holds characters that no header can carry", hint="is it the key and nothing else?"
        )

    def sign(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {key}"
        return request

    return sign


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts.hostname
    except ValueError:  # a port that is no number, a broken IPv6 address
        pass
    raise ConfigError(f"{url!r} is no server address", hint="give it as http://HOST:PORT")


def _read(response: requests.Response, path: str, deadline: float) -> bytes:
    """`read1` returns what has come, so that a dripping server meets the deadline."""
    content = bytearray()
    while chunk := response.raw.read1(_CHUNK):
        content += chunk
        if len(content) > BODY_LIMIT:
            raise EngineFaultError(Fault.TOO_LARGE, f"the answer to {path} is larger than {BODY_LIMIT >> 20} MiB")
        if time.monotonic() > deadline:
            raise requests.ReadTimeout
    return bytes(content)


def _fault(error: Exception, what: str, timeout_s: float) -> EngineFaultError:
    reason = _root(error)
    if isinstance(error, requests.Timeout) or isinstance(reason, TimeoutError):
        return EngineFaultError(Fault.TIMEOUT, f"no complete answer to {what} within {timeout_s:g} s")
    if isinstance(reason, ConnectionRefusedError):
        return EngineFaultError(Fault.REFUSED, f"{what}: connection refused", hint="is the server running?")
    detail = str(reason) or type(reason).__name__
    return EngineFaultError(Fault.BROKEN, f"{what}: the connection broke: {detail[:_EXCERPT]}")


def _root(error: BaseException) -> BaseException:
    """The first cause in a chain of wrapped errors."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error
