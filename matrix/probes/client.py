"""A completion server, asked the way the probe asks: greedy, of fixed length, one prompt a request."""

import json
from typing import Any

from matrix.core.counters import Counters
from matrix.core.recipe import OwnNames
from matrix.probes.answer import Completion, Rendered, short
from matrix.probes.dialects import dialect as dialect_of
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.transport import Reply, Transport

__all__ = ["Client", "Completion", "Rendered"]


class Client:
    """Asks one served model. `timeout_s` bounds each generation, `quick_s` everything that needs no generation.

    `key` is sent as a bearer token.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        timeout_s: float = 300.0,
        quick_s: float = 15.0,
        dialect: str = "openai",
        key: str | None = None,
    ) -> None:
        self.model = model
        self.url = url
        self._timeout_s = timeout_s
        self._quick_s = quick_s
        self._transport = Transport(url, key)
        self._dialect = dialect_of(dialect)
        self._chat = dialect_of(f"{dialect}-chat")

    def models(self, *, timeout_s: float | None = None) -> list[str]:
        """Names that the server says it serves."""
        path = "/v1/models"
        body = _json(_ok(self._transport.exchange("GET", path, timeout_s or self._quick_s), path), path)
        entries = body.get("data")
        if not isinstance(entries, list) or not all(
            isinstance(e, dict) and isinstance(e.get("id"), str) for e in entries
        ):
            raise EngineFaultError(Fault.BAD_SHAPE, f"{path} holds no list of models: {short(body)}")
        return [entry["id"] for entry in entries]

    def scrape(self) -> str | None:
        """The text of `/metrics`, None where the server has no such page."""
        reply = self._transport.exchange("GET", "/metrics", self._quick_s)
        return reply.body.decode("utf-8", "replace") if reply.status == 200 else None

    def page(self, path: str) -> str:
        """The text at `path`, empty where the server does not give it."""
        try:
            reply = self._transport.exchange("GET", path, self._quick_s)
        except EngineFaultError:
            return ""
        return reply.body.decode("utf-8", "replace") if reply.status == 200 else ""

    def complete(
        self, prompt: Rendered, max_tokens: int, *, logprobs: int | None = None, timeout_s: float | None = None
    ) -> Completion:
        """Generate exactly `max_tokens` tokens (end of text is ignored), likeliest first.

        `logprobs` asks for that many alternatives a token. Raises `EngineFaultError` for whatever is no such answer.
        """
        dialect = self._chat if prompt.chat else self._dialect
        path = dialect.path
        body = dialect.request(self.model, prompt, max_tokens, logprobs)
        reply = _ok(self._transport.exchange("POST", path, timeout_s or self._timeout_s, body), path)
        return dialect.completion(_json(reply, path), reply.seconds, max_tokens)

    def own_counters(self, answer: Completion, names: OwnNames | None) -> Counters | None:
        """Counters that the answer carries for its own request, None where it carries none."""
        return self._dialect.counters(answer, names)

    def contradicts(self, answer: Completion, names: OwnNames | None) -> bool:
        """True when the answer's own mean disagrees with its own counters."""
        return self._dialect.contradicts(answer, names)


def _ok(reply: Reply, path: str) -> Reply:
    if reply.status == 200:
        return reply
    hint = "the answer is a redirect: give the final address" if 300 <= reply.status < 400 else ""
    said = f": {reply.excerpt}" if reply.excerpt else ""
    raise EngineFaultError(Fault.STATUS, f"{path} answered HTTP {reply.status}{said}", hint=hint, status=reply.status)


def _json(reply: Reply, path: str) -> dict[str, Any]:
    try:
        body = json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        said = reply.excerpt or "an empty body"
        raise EngineFaultError(Fault.BAD_JSON, f"{path} answered what is no JSON: {said}") from error
    if not isinstance(body, dict):
        raise EngineFaultError(Fault.BAD_SHAPE, f"{path} answered JSON that is no object: {reply.excerpt}")
    return body
