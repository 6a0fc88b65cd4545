"""One row of a failure table, and the stable name under which equal failures group."""

import re
from dataclasses import dataclass
from typing import Literal

from matrix.core.outcome import Outcome
from matrix.engines.lazyregex import Lazy

Phase = Literal["load", "serve"]


@dataclass(frozen=True, slots=True)
class Signature:
    """`pattern` is searched in one cleaned log line. `outcome` None means a crash: at load or while serving.

    `reason` and `next_step` may use the pattern's named groups. Rows stand in order: a root cause before its wrappers.
    `usual` is the phase in which such a crash happens where the log itself does not tell.
    """

    name: str
    pattern: Lazy
    outcome: Outcome | None
    reason: str
    next_step: str = ""
    usual: Phase = "load"


def row(
    name: str, pattern: str, outcome: Outcome | None, reason: str, next_step: str = "", *, usual: Phase = "load"
) -> Signature:
    """A row of the table from its pattern's text."""
    return Signature(name, Lazy(pattern), outcome, reason, next_step, usual)


_VOLATILE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x*"),
    (re.compile(r"(?<![\w.])/(?:[\w.+-]+/)*[\w.+-]+"), "PATH"),
    (re.compile(r"\b(?=[0-9a-f-]*\d)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}\b"), "HEX"),
    (re.compile(r"\b[0-9a-f]{12,}\b"), "HEX"),
    (re.compile(r"\d+(?:\.\d+)*"), "N"),
    (re.compile(r"\s+"), " "),
)


def normalise(text: str) -> str:
    """`text` without what differs from run to run: numbers, addresses, paths, hashes (at most 160 characters)."""
    for pattern, put in _VOLATILE:
        text = pattern.sub(put, text)
    return text.strip()[:160]
