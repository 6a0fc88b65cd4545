"""Of many lines that are all different, those worth a look: they hold a word without which no pattern of ours matches.

The words of the failure table come from its own patterns, so a row that is added is found. Line ends are left out of
the search, so a word that a terminal broke is found as well.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from matrix.engines.benign import REQUEST_FAILED
from matrix.engines.manywords import GRAM, ManyWords
from matrix.engines.patternwords import needed
from matrix.engines.signatures import TABLE, WRAPPER_ROWS

_TELLING = (
    "accept", "Accept", "acc_len", "acc len", "acc-len", "acc. len", "Acc_len", "Acc len", "Acc-len", "Acc. len",
    "speculative", "num_spec", "--spec-", "spec_verify", "spec_decode_num", "SpecDec", "Speculative", "Per-position",
    "Decode batch", "Prefill batch", "throughput: ", "throughput (token", "POST /v1/", "POST /generate", "roll!",
    "startup complete", "vLLM API", "Initializing a", "server_args", "non-default", "[shutdown]", "Shutting down",
    "Gracefully", "System efficiency", " not greater than", " not less than", "assert ", "Position 0: ",
    "generation_tokens_total", "num_requests_total",
)  # fmt: skip
_BLAMING = ("Error", "Exception", "Traceback (most recent", "During handling of", "The above exception")
_FRAME = 'File "'
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
_HEAD = 60
"""A word this near to its line's beginning may end what the line before it begins."""
_NARROWEST = 40


@dataclass(frozen=True, slots=True)
class Screened:
    """Places of lines that may tell something, of those among them that may hold an error, or a row of the table."""

    telling: frozenset[int]
    blaming: frozenset[int]
    rows: frozenset[int]


def screen(whole: bytes, frames: bool) -> Screened:
    """The lines of `whole` to look at; frames of tracebacks among them where `frames` is asked for."""
    lines = _COLOUR.sub(b"", whole).replace(b"\r\n", b"\n").split(b"\n")
    text = b"".join(lines)
    starts = list(accumulate(map(len, lines), initial=0))
    rows, blaming, telling = (_lines(words.places(text), starts) for words in _words(frames))
    return Screened(frozenset(telling | blaming | rows), frozenset(blaming | rows), frozenset(rows))


@cache
def _words(frames: bool) -> tuple[ManyWords, ManyWords, ManyWords]:
    """Words of rows, of errors, and of lines that tell something else."""
    rows = [word for row in (*TABLE, *WRAPPER_ROWS) for word in needed(row.pattern.text)]
    blaming = [*needed(REQUEST_FAILED.text), *_BLAMING, *((_FRAME,) if frames else ())]
    return _many(rows), _many(blaming), _many(_TELLING)


def _many(words: Iterable[str]) -> ManyWords:
    return ManyWords(word.encode() for word in words if len(word) >= GRAM)


def _lines(places: list[int], starts: list[int]) -> set[int]:
    """Lines in which the places lie, and those before them that a terminal may have broken."""
    found = set()
    for place in places:
        line = bisect_right(starts, place) - 1
        found.add(line)
        if place - starts[line] < _HEAD and line and starts[line] - starts[line - 1] >= _NARROWEST:
            found.add(line - 1)
    return found
