"""What is sent to a server and what comes back, whatever the dialect; and the checks that all dialects share."""

import json
from dataclasses import dataclass
from typing import Any

from matrix.core.result import Alternatives
from matrix.probes.faults import EngineFaultError, Fault


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt's final text. `special_tokens` False: the text holds them, the server must not add its own.

    `begin` is the text's first special token where the target's tokenizer would write that one again: a dialect that
    cannot stop the server from adding it leaves it out. `chat`: not final, the server puts it into its own template.
    `image` is the data URI of what is shown before the text; in a final text its place is marked.
    """

    text: str
    special_tokens: bool = True
    begin: str = ""
    chat: bool = False
    image: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """One finished generation; `speculative` is the response's own block of speculative counters, where it has one."""

    text: str
    completion_tokens: int
    seconds: float
    speculative: dict[str, Any] | None = None
    alternatives: tuple[Alternatives, ...] = ()


def checked_count(tokens: Any, max_tokens: int, where: str, block: Any) -> int:
    """`tokens` if it can be the length of an answer of at most `max_tokens`. Raises `EngineFaultError`."""
    if isinstance(tokens, bool) or not isinstance(tokens, int):
        raise EngineFaultError(Fault.BAD_SHAPE, f"{where} is no number: {short(block)}")
    if tokens == 0:
        raise EngineFaultError(Fault.EMPTY, f"nothing was generated, {max_tokens} tokens were asked for")
    if not 0 < tokens <= max_tokens:
        raise EngineFaultError(Fault.BAD_COUNT, f"{tokens} tokens were reported, {max_tokens} were asked for")
    return tokens


def as_dict(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def short(value: Any) -> str:
    """JSON of `value`, at most 200 characters of it."""
    text = json.dumps(value)
    return text if len(text) <= 200 else text[:200] + "..."
