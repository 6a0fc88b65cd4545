"""An OpenAI-style completion server, asked the way the probe asks: greedy, of fixed length, one prompt a request."""

import json
from dataclasses import dataclass
from typing import Any

from matrix.core.result import Alternatives
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.logprobs import alternatives
from matrix.probes.transport import Reply, Transport

SEED = 0


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt's final text. `special_tokens` False: the text holds them, the server must not add its own."""

    text: str
    special_tokens: bool = True


@dataclass(frozen=True, slots=True)
class Completion:
    """One finished generation; `speculative` is the response's own block of speculative counters, where it has one."""

    text: str
    completion_tokens: int
    seconds: float
    speculative: dict[str, Any] | None = None
    alternatives: tuple[Alternatives, ...] = ()


class Client:
    """Asks one served model. `timeout_s` bounds each generation, `quick_s` everything that needs no generation."""

    def __init__(self, url: str, model: str, *, timeout_s: float = 300.0, quick_s: float = 15.0) -> None:
        self.model = model
        self.url = url
        self._timeout_s = timeout_s
        self._quick_s = quick_s
        self._transport = Transport(url)

    def models(self, *, timeout_s: float | None = None) -> list[str]:
        """Names that the server says it serves."""
        path = "/v1/models"
        body = _json(_ok(self._transport.exchange("GET", path, timeout_s or self._quick_s), path), path)
        entries = body.get("data")
        if not isinstance(entries, list) or not all(
            isinstance(e, dict) and isinstance(e.get("id"), str) for e in entries
        ):
            raise EngineFaultError(Fault.BAD_SHAPE, f"{path} holds no list of models: {_short(body)}")
        return [entry["id"] for entry in entries]

    def scrape(self) -> str | None:
        """The text of `/metrics`, None where the server has no such page."""
        reply = self._transport.exchange("GET", "/metrics", self._quick_s)
        return reply.body.decode("utf-8", "replace") if reply.status == 200 else None

    def complete(
        self, prompt: Rendered, max_tokens: int, *, logprobs: int | None = None, timeout_s: float | None = None
    ) -> Completion:
        """Generate exactly `max_tokens` tokens (end of text is ignored), likeliest first.

        `logprobs` asks for that many alternatives a token. Raises `EngineFaultError` for whatever is no such answer.
        """
        path = "/v1/completions"
        body: dict[str, Any] = {
            "model": self.model,
            "prompt": prompt.text,
            "max_tokens": max_tokens,
            "temperature": 0,
            "seed": SEED,
            "ignore_eos": True,
            # Shown, so that texts that differ in an end-of-text mark differ to the eye too.
            "skip_special_tokens": False,
            "spaces_between_special_tokens": False,
            "add_special_tokens": prompt.special_tokens,
        }
        if logprobs is not None:
            body["logprobs"] = logprobs
        reply = _ok(self._transport.exchange("POST", path, timeout_s or self._timeout_s, body), path)
        return _completion(_json(reply, path), reply.seconds, max_tokens)


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


def _completion(body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
    choice = _only_choice(body)
    tokens = _dict(body.get("usage")).get("completion_tokens")
    if isinstance(tokens, bool) or not isinstance(tokens, int):
        raise EngineFaultError(Fault.BAD_SHAPE, f"usage.completion_tokens is no number: {_short(body.get('usage'))}")
    if tokens == 0:
        raise EngineFaultError(Fault.EMPTY, f"nothing was generated, {max_tokens} tokens were asked for")
    if not 0 < tokens <= max_tokens:
        raise EngineFaultError(Fault.BAD_COUNT, f"{tokens} tokens were reported, {max_tokens} were asked for")
    block = _dict(body.get("metrics")).get("speculative_decoding")
    return Completion(
        text=choice["text"],
        completion_tokens=tokens,
        seconds=seconds,
        speculative=block if isinstance(block, dict) else None,
        alternatives=alternatives(choice["text"], choice.get("logprobs")),
    )


def _only_choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(_dict(choices[0]).get("text"), str):
        raise EngineFaultError(Fault.BAD_SHAPE, f"the answer holds no single choice with a text: {_short(body)}")
    return _dict(choices[0])


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else text[:200] + "..."
