"""A cheap first look: does a line hold a word without which no pattern of ours can match?

`test_signature_table.py` proves it of every alternative of every row of the failure table.
"""

import re

from matrix.engines.logtext import LINE_LIMIT

CAUSES = (
    "rror", "xception", "raceback", 'File "', "ailed", "annot", "emory", "OOM", "oom-", "Kill", "llegal", "atchdog",
    "imed out", "imeout", "ime out", "imedout", "NVIDIA", "NCCL", "not ", "No ", "no ", "must", "nvalid", "n't ",
    "denied", "refused", "xit", "SIG", "sigquit", "egmentation", "dumped", "died", "dead", "lost", "Lost", "Back",
    "off the", "ErrImage", "anifest", "MANIFEST", "ancel", "DUE TO", "evict", "reempt", "nodes", "Xid", "larger",
    "greater", "less than", "quota", "NOSPC", "ressure", "ephemeral", "rying to load", "dtype size", "parallel size",
    "ected size", "ssert", "ymbol", "submod_", "Stale", "nvcc", "toomany", "rate limit", "olution", "_compile_",
    "_STATUS_", "_ERROR", "gated", "odeNot", "terminated", "Interruption", "stopped", "IncompleteRead", "only be",
    "only supp", "uantization", "bad_alloc", "zero code", "137", "_dynamo", "ready after", "ready within", "unsatisf",
    "compatib", "unresolv", "Too Many", "unauthorized", "Max retries", "Retry(", "EADDR", "node was", "VERIFY",
    "Prometheus", "misaligned", "encountered", "nexpected", "nsufficient", "quires", "MATCH", "ismatch", "nknown",
    "llocator", "ttempted", "compiled with", "in use", "already all", "with page_size", ".shape", ".size()",
    "a param ", "launch fail",
)  # fmt: skip
"""Words of lines that may name a cause."""
TELLING = (
    "acc", "Acc", "specul", "spec_", "num_spec", "Decode", "SpecDec", "fill batch", "throughput", "POST /", "roll!",
    "startup", "vLLM API", "Initializing", "server_args", "non-default", "num_requests_total",
    "generation_tokens_total", "Position 0: ", "hutdown", "hutting", "igterm", "racefully",
)  # fmt: skip
"""Words of lines that may tell of acceptance, of the configuration and of service."""
_ASKED = (b"Received request ", b"Receive: obj=")
"""Before what a client sent, which may say anything."""
_QUIET_TOO = ("too old", "Retry(total=0", "SIGTERM")
_LOUD = (b"ERROR", b"CRITICAL", b"FATAL", b"raceback", b"\r")
_LEVEL = re.compile(rb"(?:INFO|WARNING)[ :\]]")
_JUNK_SHARE = 20
_CONTROL = bytes(set(range(32)) - set(b"\t\r\x1b\x07")) + b"\x7f"

_CAUSES = tuple(word.encode() for word in CAUSES)
_TELLING = tuple(word.encode() for word in TELLING)
_QUIET = tuple(word.encode() for word in (*TELLING, *_QUIET_TOO))
STEMS = (*_TELLING, *_CAUSES)


def hot(raw: bytes) -> bool:
    """True when the line has to be looked at: no junk, no request's own text, no information without a word."""
    if _ASKED[0] in raw or _ASKED[1] in raw or (not raw.isascii() and is_junk(raw)):
        return False
    head = raw[:LINE_LIMIT]
    if any(map(head.__contains__, _QUIET if _informs(head) else STEMS)):
        return True
    return len(raw) > LINE_LIMIT and any(map(raw.__contains__, _TELLING[:2]))


def may_blame(text: str) -> bool:
    """True when the line can name a cause."""
    return any(map(text.__contains__, CAUSES))


def _informs(raw: bytes) -> bool:
    """True when the line's writer calls it information or a warning."""
    place = max(raw.find(b"INFO", 0, 120), raw.find(b"WARNING", 0, 120))
    if place < 0 or any(map(raw.__contains__, _LOUD)):
        return False
    return raw.find(b"rror", 0, place) < 0 and _LEVEL.match(raw, place) is not None


def is_junk(raw: bytes) -> bool:
    """True when one byte in twenty is a control character, as in a binary file."""
    return len(raw.translate(None, _CONTROL)) * _JUNK_SHARE < len(raw) * (_JUNK_SHARE - 1)
