"""The chat endpoint, where the server puts the prompt into its own template."""

from typing import Any

from matrix.probes.answer import Completion, Rendered, as_dict, checked_count, short
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.openai import SEED, OpenAi
from matrix.probes.sglang import Sglang

_PATH = "/v1/chat/completions"


def _request(model: str, prompt: Rendered, max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": "user", "content": prompt.text}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": SEED,
        "ignore_eos": True,
        "skip_special_tokens": False,
    }


def _choice(body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The only choice and its text; a reasoning parser may have put all of it elsewhere, so no text is allowed."""
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(as_dict(choices[0]).get("message"), dict):
        raise EngineFaultError(Fault.BAD_SHAPE, f"the answer holds no single choice with a message: {short(body)}")
    message = choices[0]["message"]
    texts = [message.get(key) for key in ("reasoning_content", "reasoning", "content")]
    return choices[0], "".join(text for text in texts if isinstance(text, str))


def _answer(body: dict[str, Any], text: str, seconds: float, most: int, block: Any) -> Completion:
    usage = body.get("usage")
    tokens = checked_count(as_dict(usage).get("completion_tokens"), most, "usage.completion_tokens", usage)
    return Completion(text, tokens, seconds, block if isinstance(block, dict) else None)


class OpenAiChat(OpenAi):
    """vLLM's chat endpoint; its answers carry the same block of counters as its completions."""

    path = _PATH

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """A greedy answer of fixed length; alternatives are not asked for here."""
        return _request(model, prompt, max_tokens)

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for what is none."""
        _, text = _choice(body)
        return _answer(body, text, seconds, max_tokens, as_dict(body.get("metrics")).get("speculative_decoding"))


class SglangChat(Sglang):
    """SGLang's chat endpoint: `meta_info` comes with the choice from 0.5.13 on where it is asked for."""

    path = _PATH

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """A greedy answer of fixed length; older releases do not know the last key and pass over it."""
        return _request(model, prompt, max_tokens) | {"return_meta_info": True}

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for what is none."""
        choice, text = _choice(body)
        meta = as_dict(choice.get("meta_info"))
        return _answer(body, text, seconds, max_tokens, meta if "spec_verify_ct" in meta else None)
