"""The OpenAI-style completion endpoint, as vLLM serves it."""

from typing import Any

from matrix.core.counters import Counters
from matrix.core.recipe import OwnNames
from matrix.probes.answer import Completion, Rendered, as_dict, checked_count, short
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.logprobs import alternatives
from matrix.probes.per_request import request_counters

SEED = 0


class OpenAi:
    """See `matrix.probes.dialects.Dialect`."""

    path = "/v1/completions"

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """A greedy generation of fixed length; `logprobs` asks for that many alternatives a token."""
        body: dict[str, Any] = {
            "model": model,
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
        return body if logprobs is None else body | {"logprobs": logprobs}

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for what is none."""
        choice = _only_choice(body)
        usage = body.get("usage")
        tokens = checked_count(as_dict(usage).get("completion_tokens"), max_tokens, "usage.completion_tokens", usage)
        block = as_dict(body.get("metrics")).get("speculative_decoding")
        return Completion(
            text=choice["text"],
            completion_tokens=tokens,
            seconds=seconds,
            speculative=block if isinstance(block, dict) else None,
            alternatives=alternatives(choice["text"], choice.get("logprobs")),
        )

    def counters(self, answer: Completion, names: OwnNames | None) -> Counters | None:
        """Counters of the answer's own request; their names have been the same since they exist."""
        return request_counters(answer.speculative, answer.completion_tokens)

    def contradicts(self, answer: Completion, names: OwnNames | None) -> bool:
        """Never: the block is compared with the scrapes around the request instead."""
        return False


def _only_choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(as_dict(choices[0]).get("text"), str):
        raise EngineFaultError(Fault.BAD_SHAPE, f"the answer holds no single choice with a text: {short(body)}")
    return as_dict(choices[0])
