"""Asks the application in this process, without a server: what a static copy is made of."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Scope

from matrix.core.errors import InfraError

_MOST_TURNS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    kind: str


async def ask(app: ASGIApp, address: str, write: Callable[[bytes], object]) -> Answer:
    """Send GET for path and query, follow redirects, and hand the body to `write` in pieces.

    InfraError for an answer that the application failed to make.
    """
    for _ in range(_MOST_TURNS):
        start = await _once(app, address, write)
        headers = Headers(raw=start["headers"])
        if start["status"] >= 500:
            raise InfraError(f"the page {address} could not be made", hint="`matrix status` tells of the database")
        if start["status"] not in (301, 302, 303, 307, 308):
            return Answer(start["status"], headers.get("content-type", ""))
        address = urljoin(address, headers["location"])
    raise InfraError(f"{address} leads in circles", hint="report it with this address")


async def _once(app: ASGIApp, address: str, write: Callable[[bytes], object]) -> Message:
    start: Message = {}

    asked = iter((True,))

    async def receive() -> Message:
        if not next(asked, False):
            # Whoever streams waits here for the client to go, which this one never does.
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        elif not 300 <= start["status"] < 400:
            write(message.get("body", b""))

    await app(_scope(address), receive, send)
    return start


def _scope(address: str) -> Scope:
    path, _, query = address.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost")],
        "client": None,
        "server": ("localhost", 80),
    }
