"""Log text to clean lines: colours and stacked prefixes taken off, junk made harmless."""

import re
from collections.abc import Iterator

_ANSI = re.compile(r"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|(?<=\s)\[\d{1,2}(?:;\d{1,2})*m|^\[\d{1,2}(?:;\d{1,2})*m")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PREFIX = re.compile(
    r"^\s*(?:"
    r"\([\w.:-]+ pid=\d+[^)]*\)"
    r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?"
    r"|\[[\w./-]+\.py:\d+\]"
    r")\s?"
)
LINE_LIMIT = 4000


def clean_lines(text: str) -> Iterator[str]:
    """Lines of `text`, each cut at 4,000 characters, without colours, control characters and log prefixes."""
    for line in text.splitlines():
        yield clean(line)


def clean(line: str) -> str:
    """One line without colours, control characters and the process, level, time and file prefixes engines stack."""
    line = _CONTROL.sub("", _ANSI.sub("", line[:LINE_LIMIT])).rstrip()
    while True:
        rest = _PREFIX.sub("", line, count=1)
        if rest == line:
            return line
        line = rest
