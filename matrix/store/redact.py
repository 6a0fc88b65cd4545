"""Takes secrets out of text before anything is hashed or stored. Pure; time and memory are linear in the text.

Better one harmless word too many than one token kept, except where evidence would suffer: engine logs are full of
`max_tokens=32`, so names in lower case count only when they are a whole credential's name.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from matrix.core.secret import MARK, is_marked

_CREDENTIAL = (
    r"(?:api[_-]?key|hf[_-]?token|hf[_-]?api[_-]?token|(?:access|auth|refresh|bearer)[_-]?token"
    r"|(?:client|secret)[_-]?(?:key|secret)|aws_secret_access_key|secret|token|password|passwd)"
)
_QUOTED = r"""\[[^\[\]\n]*\]|"[^"\n]*"|'[^'\n]*'"""
_NOTHING = r"""(?!(?:None|null|True|False|true|false)\b|''|""|\[\]|["']?\[redacted[:\]])"""

# Alternatives of one pattern, so that one pass finds the leftmost secret. `keep*` groups are what stays in front of it.
# A repeat that may fail ends where the next attempt can begin at the earliest (a quote, a bracket, a word's start), so
# no stretch is scanned by more than a few attempts, however the text is made.
_SECRET = re.compile(
    "|".join(
        (
            r"hf_[A-Za-z0-9]{16,}",
            r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}",
            r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{16,}",
            r"(?P<keep1>(?i:authorization)[\"']?[ \t]*[:=][ \t]*[\"']?(?:(?i:bearer|basic|token)[ \t]+)?)"
            rf"{_NOTHING}[^\s\"',]+",
            r"(?P<keep2>(?i:bearer)[ \t]+)[A-Za-z0-9._~+/=-]{8,}",
            rf"(?P<keep3>(?<![\w-])--(?i:{_CREDENTIAL})(?:=|[ \t]+))(?!-)(?:{_QUOTED}|[^\s\"']+)",
            r"(?P<keep4>://[^\s/:@]{0,256}:)[^\s/@]+(?=@)",
            r"(?P<keep5>(?<![A-Za-z0-9_])(?=[A-Z0-9_]*(?:TOKEN|KEY|SECRET|PASSWORD))[A-Z][A-Z0-9_]*+[\"']?"
            rf"(?:=|:[ \t]*)){_NOTHING}(?:{_QUOTED}|[^\s\"']+)",
            rf"(?P<keep6>(?<![A-Za-z0-9_-])(?i:{_CREDENTIAL})[\"']?[ \t]*[:=][ \t]*){_NOTHING}"
            rf"(?:{_QUOTED}|[^\s\"',;)\]}}]+)",
        )
    )
)
_FLAG = re.compile(rf"--(?i:{_CREDENTIAL})")


def redact(text: str) -> str:
    """`text` with each secret replaced by `MARK`; doing it twice changes nothing more."""
    return _SECRET.sub(_replace, text)


def hide(text: str, values: Iterable[str]) -> str:
    """`text` without these very values, which no pattern could tell from other words."""
    for value in values:
        text = text.replace(value, MARK)
    return text


def redact_args(args: Sequence[str]) -> list[str]:
    """A command's arguments, each redacted; the argument after `--api-key` and its like is replaced whole."""
    return [MARK if _FLAG.fullmatch(before) else redact(arg) for before, arg in zip(["", *args], args, strict=False)]


def redact_value(value: Any) -> Any:
    """JSON-like data with all its texts redacted; an entry NAME: value and a pair [NAME, value] count as NAME=value."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _named(str(key), item) for key, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    if not all(isinstance(item, str) for item in value):
        return [redact_value(item) for item in value]
    if len(value) == 2:
        return [value[0], _named(value[0], value[1])]
    return redact_args(value)


def _named(name: str, value: Any) -> Any:
    secret = isinstance(value, str) and value and not is_marked(value) and redact(f"{name}=x") != f"{name}=x"
    return MARK if secret else redact_value(value)


def _replace(match: re.Match[str]) -> str:
    kept = match[match.lastgroup] if match.lastgroup else ""
    return f"{kept}{MARK}"
