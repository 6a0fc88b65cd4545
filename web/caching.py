"""Answers kept until the database changes: compressed once, and not sent again to whoever has them (ETag).

What a page says of the time ("2 hours ago") may be a few seconds old; what it says of runs never is.
"""

import asyncio
import gzip
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.access.gate import COOKIE

Version = Callable[[], Hashable]
"""Tells two states of the database apart; None where it cannot."""
_TURNS = 3
"""Answers that are worked out at a time: one process has one interpreter, more at a time make each of them late."""
_OLDEST_S = 15.0
_MOST = 64 * 2**20
_LEAST = 1024
_LEVEL = 5
_NEVER = ("/static", "/healthz", "/fragments/")
_OWN = ("content-encoding", "cache-control", "set-cookie")
_TEXTS = ("text/", "application/json", "application/atom+xml", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Kept:
    """One answer: its headers without length and encoding, and its body as it is and, where that is shorter, packed.

    It tells of no moment before `begun`.
    """

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    packed: bytes | None
    tag: str
    version: Hashable
    begun: float

    @property
    def size(self) -> int:
        return len(self.body) + len(self.packed or b"")


@dataclass(slots=True)
class _Queue:
    """Those who want the same answer: one at a time works it out."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0


class Caching:
    """ASGI middleware for GET: one request works an answer out, others that come meanwhile wait for it.

    Nobody gets an answer that was worked out before they asked, unless nothing has changed since.
    """

    def __init__(self, app: ASGIApp, version: Version) -> None:
        self.app = app
        self._version = version
        self._answers: OrderedDict[tuple[str, bytes], Kept] = OrderedDict()
        self._queues: dict[tuple[str, bytes], _Queue] = {}
        self._size = 0
        self._turns = asyncio.Semaphore(_TURNS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _same_for_all(scope):
            await self.app(scope, receive, send)
            return
        key = (scope["path"], scope["query_string"])
        kept = self._fresh(key)
        if kept is None:
            kept = await self._work_out(key, scope, receive, send)
        if kept is not None:
            await _send(kept, Headers(scope=scope), send)

    async def _work_out(self, key: tuple[str, bytes], scope: Scope, receive: Receive, send: Send) -> Kept | None:
        """The answer, worked out once; None when it was sent already because it streams or is no text."""
        asked, queue = time.monotonic(), self._queues.setdefault(key, _Queue())
        queue.length += 1
        try:
            async with queue.lock:
                # Where runs are stored faster than the page is made, no answer is ever of the newest state. One that
                # was begun since this question came is as good as another: all who wait take that.
                kept = self._answers.get(key)
                if kept is not None and kept.begun >= asked:
                    return kept
                return self._fresh(key) or await self._make(key, scope, receive, send)
        finally:
            queue.length -= 1
            if not queue.length:
                self._queues.pop(key, None)

    async def _make(self, key: tuple[str, bytes], scope: Scope, receive: Receive, send: Send) -> Kept | None:
        await self._turns.acquire()
        answer = _Answer(send, self._turns.release)
        try:
            begun, version = time.monotonic(), self._version()
            await self.app(scope, receive, answer)
        finally:
            answer.end()
        if answer.passed:
            return None
        kept = await asyncio.to_thread(answer.kept, version, begun)
        self._keep(key, kept)
        return kept

    def _fresh(self, key: tuple[str, bytes]) -> Kept | None:
        kept = self._answers.get(key)
        if kept is None or time.monotonic() > kept.begun + _OLDEST_S or kept.version != self._version():
            return None
        self._answers.move_to_end(key)
        return kept

    def _keep(self, key: tuple[str, bytes], kept: Kept) -> None:
        if kept.status != 200 or kept.version is None or kept.size > _MOST // 8:
            return
        before = self._answers.pop(key, None)
        self._size += kept.size - (before.size if before else 0)
        self._answers[key] = kept
        while self._size > _MOST:
            self._size -= self._answers.popitem(last=False)[1].size


class _Answer:
    """Collects what the application sends; what streams or is no text is passed on as it comes.

    `release` is called once: at the end, or when passing on begins, since a stream may last for minutes.
    """

    def __init__(self, send: Send, release: Callable[[], None]) -> None:
        self._send = send
        self._release: Callable[[], None] | None = release
        self._start: Message = {}
        self._body = b""
        self.passed = False

    def end(self) -> None:
        """Let the next one have its turn; safe to call twice."""
        release, self._release = self._release, None
        if release is not None:
            release()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            self.passed = not _is_text(Headers(raw=message["headers"]))
        elif message["type"] == "http.response.body" and not self.passed:
            if message.get("more_body", False):
                self.passed = True
                await self._send(self._start)
                message = {**message, "body": self._body + message.get("body", b"")}
            else:
                self._body += message.get("body", b"")
        if self.passed:
            self.end()
            await self._send(message)

    def kept(self, version: Hashable, begun: float) -> Kept:
        """The whole answer."""
        headers = [(k, v) for k, v in self._start["headers"] if k.lower() not in (b"content-length", b"etag")]
        packed = gzip.compress(self._body, _LEVEL, mtime=0) if len(self._body) >= _LEAST else None
        return Kept(
            status=self._start["status"],
            headers=headers,
            body=self._body,
            packed=packed,
            tag=hashlib.blake2b(self._body, digest_size=12).hexdigest(),
            version=version,
            begun=begun,
        )


def _same_for_all(scope: Scope) -> bool:
    """True for a question whose answer does not depend on who asks."""
    headers = Headers(scope=scope)
    # Browsers send the cookies of whatever else runs on this host, too.
    personal = "authorization" in headers or COOKIE in headers.get("cookie", "")
    return scope["method"] == "GET" and not scope["path"].startswith(_NEVER) and not personal


def _is_text(headers: Headers) -> bool:
    """True for what is packed; what says itself how it is to be kept, or is packed already, is left alone."""
    kind = headers.get("content-type", "")
    return kind.startswith(_TEXTS) and not any(name in headers for name in _OWN)


async def _send(kept: Kept, asked: Headers, send: Send) -> None:
    packs = kept.packed is not None and _takes_gzip(asked.get("accept-encoding", ""))
    tag = f'"{kept.tag}-gzip"' if packs else f'"{kept.tag}"'
    headers = MutableHeaders(raw=list(kept.headers))
    if kept.packed is not None:
        headers.add_vary_header("Accept-Encoding")
    if kept.status == 200:
        headers["etag"] = tag
        if tag in asked.get("if-none-match", ""):
            await send({"type": "http.response.start", "status": 304, "headers": headers.raw})
            await send({"type": "http.response.body", "body": b""})
            return
    body = kept.packed if packs and kept.packed is not None else kept.body
    if packs:
        headers["content-encoding"] = "gzip"
    headers["content-length"] = str(len(body))
    await send({"type": "http.response.start", "status": kept.status, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})


def _takes_gzip(accepted: str) -> bool:
    for part in accepted.split(","):
        name, _, weight = part.strip().partition(";")
        if name in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
