"""The ways in which servers are asked for a generation, chosen by the name in a `CounterMap`."""

from typing import Any, Protocol

from matrix.core.counters import Counters
from matrix.core.errors import ConfigError
from matrix.core.recipe import OwnNames
from matrix.probes.answer import Completion, Rendered
from matrix.probes.chat import OpenAiChat, SglangChat
from matrix.probes.openai import OpenAi
from matrix.probes.sglang import Sglang


class Dialect(Protocol):
    """One endpoint: how it is asked, and how its answer is read."""

    path: str

    def request(self, model: str, prompt: Rendered, max_tokens: int, logprobs: int | None) -> dict[str, Any]:
        """The request's body: greedy, exactly `max_tokens` tokens, with `logprobs` alternatives a token if asked."""

    def completion(self, body: dict[str, Any], seconds: float, max_tokens: int) -> Completion:
        """The answer. Raises `EngineFaultError` for whatever is none."""

    def counters(self, answer: Completion, names: OwnNames | None) -> Counters | None:
        """Counters of the answer's own request, None where it carries none or they contradict themselves."""

    def contradicts(self, answer: Completion, names: OwnNames | None) -> bool:
        """True when the answer's own mean disagrees with its own counters."""


_DIALECTS: dict[str, Dialect] = {
    "openai": OpenAi(),
    "openai-chat": OpenAiChat(),
    "sglang": Sglang(),
    "sglang-chat": SglangChat(),
}


def dialect(name: str) -> Dialect:
    """The dialect called `name`. Raises ConfigError for one that is not known."""
    try:
        return _DIALECTS[name]
    except KeyError:
        raise ConfigError(f"no dialect `{name}`", hint=f"known: {', '.join(sorted(_DIALECTS))}") from None
