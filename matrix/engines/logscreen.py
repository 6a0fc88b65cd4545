"""Of many lines that are all different, those worth a look: they hold a word without which no pattern of ours matches.

The words of the failure table come from its own patterns, so a row that is added is found. Line ends are left out of
the search, so a word that a terminal broke is found as well.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from itertools import accumulate

from matrix.engines.benign import REQUEST_FAILED
from matrix.engines.patternwords import needed
from matrix.engines.signatures import TABLE, WRAPPER_ROWS
from matrix.engines.wordscan import LEAST, Words, many_words

_TELLING = (
    "accept", "Accept", "accpt", "Accpt",
    "acc_len", "acc len", "acc-len", "acc. len", "Acc_len", "Acc len", "Acc-len", "Acc. len",
    "speculative", "num_spec", "--spec-", "spec_verify", "spec_decode_num", "SpecDec", "Speculative", "Per-position",
    "Decode batch", "Prefill batch", "throughput: ", "throughput (token", "POST /v1/", "POST /generate", "roll!",
    "startup complete", "vLLM API", "Initializing a", "server_args", "non-default", "[shutdown]", "Shutting down",
    "Gracefully", "System efficiency", " not greater than", "assert ", "Position 0: ",
    "generation_tokens_total", "num_requests_total", "SIGTERM",
)  # fmt: skip
_BLAMING = ("Error", "Exception", "Traceback (most recent", "During handling of", "The above exception")
_FRAME = 'File "'
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
_HEAD = 60
"""A word this near to its line's beginning may end what the line before it begins."""
_NARROWEST = 40


class _Class(Enum):
    """What a word stands for: a row of the failure table, an error, a traceback's frame, anything else that tells."""

    ROW = auto()
    ERROR = auto()
    FRAME = auto()
    TELLING = auto()


@dataclass(frozen=True, slots=True)
class Screened:
    """Places of lines that may tell something, of those among them that may hold an error, or a row of the table."""

    telling: frozenset[int]
    blaming: frozenset[int]
    rows: frozenset[int]


NOTHING = Screened(frozenset(), frozenset(), frozenset())


def screen(whole: bytes, frames: bool) -> Screened:
    """The lines of `whole` to look at; frames of tracebacks among them where `frames` is asked for."""
    plain = _COLOUR.sub(b"", whole) if b"\x1b" in whole else whole
    words, classes = _words()
    found = words.found(plain.translate(None, b"\r\n"))
    if not frames:
        found = [(place, index) for place, index in found if classes[index] is not _Class.FRAME]
    if not found:
        return NOTHING
    starts = list(accumulate(map(len, plain.replace(b"\r", b"").split(b"\n")), initial=0))
    blaming = _lines([place for place, index in found if classes[index] is not _Class.TELLING], starts)
    rows = _lines([place for place, index in found if classes[index] is _Class.ROW], starts)
    telling = _lines([place for place, index in found if classes[index] is _Class.TELLING], starts)
    return Screened(frozenset(telling | blaming), frozenset(blaming), frozenset(rows))


@cache
def _words() -> tuple[Words, list[_Class]]:
    """All words, and the class of each: the first that it has."""
    rows = [word for row in (*TABLE, *WRAPPER_ROWS) for word in needed(row.pattern.text)]
    classes = dict.fromkeys(_TELLING, _Class.TELLING) | {_FRAME: _Class.FRAME}
    classes |= dict.fromkeys((*needed(REQUEST_FAILED.text), *_BLAMING), _Class.ERROR)
    classes |= {word: _Class.ROW for word in rows if len(word) >= LEAST}
    return many_words([word.encode() for word in classes]), list(classes.values())


def _lines(places: list[int], starts: list[int]) -> set[int]:
    """Lines in which the places lie, and those before them that a terminal may have broken."""
    found = set()
    for place in places:
        line = bisect_right(starts, place) - 1
        found.add(line)
        if place - starts[line] < _HEAD and line and starts[line] - starts[line - 1] >= _NARROWEST:
            found.add(line - 1)
    return found
