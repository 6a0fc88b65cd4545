"""The likeliest tokens at each place of a completion, read from an OpenAI-style `logprobs` block."""

import math
from collections.abc import Sequence
from typing import Any

from matrix.core.result import Alternatives

_LONGEST_CHARACTER = 4  # a token may hold a part of a character: at most four byte tokens make one


def alternatives(text: str, block: Any) -> tuple[Alternatives, ...]:
    """One entry a generated token, whose token texts joined give `text`; empty where the block is absent or malformed.

    Engines spell a token that holds a part of a character as a replacement mark; such a token gets an empty text and
    the last one of its character the whole of it.
    """
    if not isinstance(block, dict):
        return ()
    tokens, logprobs, tops = (block.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if not isinstance(tokens, list) or not isinstance(logprobs, list) or not isinstance(tops, list):
        return ()
    if not len(tokens) == len(logprobs) == len(tops) or not all(isinstance(t, str) for t in tokens):
        return ()
    pieces = _align(text, tokens)
    if pieces is None:
        return ()
    rows = [_entry(*row) for row in zip(pieces, logprobs, tops, strict=True)]
    known = [row for row in rows if row is not None]
    return tuple(known) if len(known) == len(rows) else ()


def _entry(token: str, logprob: Any, top: Any) -> Alternatives | None:
    if not _finite(logprob) or not isinstance(top, dict):
        return None
    listed = [(name, float(value)) for name, value in top.items() if _finite(value)]
    return Alternatives(token, float(logprob), tuple(sorted(listed, key=lambda pair: -pair[1])))


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _align(text: str, tokens: Sequence[str]) -> list[str] | None:
    """Token texts corrected so that they join to `text`, None where they are of another text."""
    pieces: list[str] = []
    position = pending = 0
    for index, token in enumerate(tokens):
        shown = token.lstrip() if index == 0 and not text.startswith(token) else token
        skipped = next((n for n in range(pending + 1) if shown and text.startswith(shown, position + n)), None)
        if skipped is None:
            pieces.append("")
            pending = min(pending + 1, _LONGEST_CHARACTER)
            continue
        if skipped:
            pieces[-1] += text[position : position + skipped]
        pieces.append(shown)
        position += skipped + len(shown)
        pending = 0
    return _close(pieces, text[position:], pending)


def _close(pieces: list[str], rest: str, pending: int) -> list[str] | None:
    if len(rest) > pending:
        return None
    if rest:
        pieces[-1] += rest
    return pieces
