"""The chat endpoint, where the server puts the prompt into its own template."""

from typing import Any

from matrix.probes.answer import Completion, Rendered, as_dict, checked_count, short
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.logprobs import alternatives
from matrix.probes.openai import SEED, OpenAi
from matrix.probes.sglang import Sglang

_PATH = "/v1/chat/completions"


def _request(model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": _content(prompt)}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": SEED,
        "ignore_eos": True,
        "skip_special_tokens": False,
    }
    return body if logprobs is None else body | {"logprobs": True, "top_logprobs": logprobs}


def _content(prompt: Rendered) -> str | list[dict[str, Any]]:
    """The message: its text alone, or the image and then the text."""
    if not prompt.image:
        return prompt.text
    return [{"type": "image_url", "image_url": {"url": prompt.image}}, {"type": "text", "text": prompt.text}]


def _choice(body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The only choice and its text; a reasoning parser may have put all of it elsewhere, so no text is allowed."""
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(as_dict(choices[0]).get("message"), dict):
        raise EngineFaultError(Fault.BAD_SHAPE, f"the answer holds no single choice with a message: {short(body)}")
    message = choices[0]["message"]
    texts = [message.get(key) for key in ("reasoning_content", "reasoning", "content")]
    return choices[0], "".join(text for text in texts if isinstance(text, str))


def _answer(body: dict[str, Any], seconds: float, most: int, block: Any) -> Completion:
    choice, text = _choice(body)
    usage = body.get("usage")
    return Completion(
        text=text,
        completion_tokens=checked_count(
            as_dict(usage).get("completion_tokens"), most, "usage.completion_tokens", usage
        ),
        seconds=seconds,
        speculative=block if isinstance(block, dict) else None,
        alternatives=alternatives(text, _logprobs(as_dict(choice.get("logprobs")).get("content"))),
    )


def _logprobs(content: Any) -> dict[str, Any] | None:
    """The chat endpoint's entries, an object a token, as the lists that the completion endpoint sends."""
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        return None
    return {
        "tokens": [entry.get("token") for entry in content],
        "token_logprobs": [entry.get("logprob") for entry in content],
        "top_logprobs": [_top(entry.get("top_logprobs")) for entry in content],
    }


def _top(entries: Any) -> dict[str, Any] | None:
    if not isinstance(entries, list):
        return None
    return {e["token"]: e.get("logprob") for e in entries if isinstance(e, dict) and isinstance(e.get("token"), str)}


class OpenAiChat(OpenAi):
    """vLLM's chat endpoint; its answers carry the same block of counters as its completions."""

    path = _PATH

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """A greedy answer of fixed length."""
        return _request(model, prompt, max_tokens, logprobs)

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for what is none."""
        return _answer(body, seconds, max_tokens, as_dict(body.get("metrics")).get("speculative_decoding"))


class SglangChat(Sglang):
    """SGLang's chat endpoint: `meta_info` comes with the choice from 0.5.13 on where it is asked for."""

    path = _PATH

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """A greedy answer of fixed length; older releases do not know the last key and pass over it."""
        return _request(model, prompt, max_tokens, logprobs) | {"return_meta_info": True}

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for what is none."""
        choice, _ = _choice(body)
        meta = as_dict(choice.get("meta_info"))
        return _answer(body, seconds, max_tokens, meta if "spec_verify_ct" in meta else None)
