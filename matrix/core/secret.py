"""Secrets among a server's variables: told by their names, and kept as a mark with a short hash of the value.

The hash keeps keys stable: the same value gives the same mark, another value another one. It is the first eight hex
digits of SHA-256, too few to tell which of the many tokens that share them it was.
"""

import hashlib
import re

MARK = "[redacted]"

_NAME = re.compile(
    r"(?:^|_)[A-Z0-9]*(?:TOKENS?|KEYS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|\d*$)", re.IGNORECASE
)
_PLAIN = re.compile(r"[-+]?[\d.]{0,6}|true|false|yes|no|on|off|none|auto", re.IGNORECASE)
_MARKED = re.compile(r"\[redacted(?::[0-9a-f]{8})?\]")


def is_secret(name: str, value: str) -> bool:
    """True when one of the words of the variable's name ends in TOKEN, KEY, SECRET or the like.

    Short numbers and switches (`MAX_TOKENS=32`, `USE_KEY=true`) are none, nor is what is marked already.
    """
    return _NAME.search(name) is not None and not _PLAIN.fullmatch(value) and not is_marked(value)


def marked(value: str) -> str:
    """What stands for a secret value wherever it is kept: `[redacted:1a2b3c4d]`."""
    return f"[redacted:{hashlib.sha256(value.encode()).hexdigest()[:8]}]"


def is_marked(value: str) -> bool:
    """True for a mark, with its hash or without (as old rows have it)."""
    return _MARKED.fullmatch(value) is not None


def fits(value: str, mark: str) -> bool:
    """True when `mark` may stand for `value`."""
    return mark in (MARK, marked(value))
