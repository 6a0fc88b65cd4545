"""Log text to clean lines: colours and stacked prefixes taken off, junk made harmless."""

import re
from collections.abc import Iterator

# ESC bytes, their `cat -v` spelling, and what is left where the ESC byte itself was lost.
_ANSI = re.compile(
    r"(?:\x1b|\^\[|␛|\\x1b|\\033|\\u001[bB]|\\e)\[[0-9;?]*[A-Za-z]"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b?_bk;t=\d+(?:\x07|\^G)?"
    r"|\[(?:\d{1,3}(?:;\d{1,3})+|0|[139]\d|1)m"
)
_COLOURED = ("\x1b", "^[[", "␛[", "\\x1b[", "\\033[", "\\u001", "\\e[", "_bk;t=")
_LOST_ESCAPE = re.compile(r"\[\d[\d;]*m")
"""One of these stands in every text that `_ANSI` finds."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?"
_STAMP = rf"\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?"
_RANK = r"(?:DP|TP|PP|EP|ATTN_CP|MOE_DP|CP)\d+"
_PREFIX = re.compile(
    r"^\s*(?:"
    r"\([\w.:\-= ]{1,60}pid=\d+[^)]{0,80}\)"
    rf"|\[?{_STAMP}(?: {_RANK})*\]?(?: std(?:out|err) [FP](?= ))?(?:\s+-?\s*[\w.]{{1,60}}\s+-\s+{_LEVEL}\s+-)?"
    rf"|\[(?:{_RANK}\s?)+\]"
    rf"|\[?{_LEVEL}\]?:? (?:\d\d-\d\d {_CLOCK}(?= |$)|{_CLOCK}|(?={_STAMP}))"
    rf"|{_LEVEL}:?(?=\s+\[[\w./-]+\.py:\d+\])"
    r"|\[?[\w./-]{1,80}\.(?:py|cc|cpp|go|rs):\d+\]"
    r"|\[(?:pod/)?[\w.-]{1,60}(?:/[\w.-]{1,60}){0,2}\](?=\s*[\[|(]|\s+(?:INFO|WARNING|ERROR|Traceback|\w*Error:))"
    r"|\[rank\d+\]:"
    r"|\[\d+,\d+\]<std(?:out|err)>:"
    r"|[\w.-]{1,60}\s{0,40}\|(?= |$)|\|(?= |$)"
    r"|[IWEF]\d{4} " + _CLOCK + r"\s+\d+ [\w.-]+:\d+\]"
    r"|#\d+ \d+\.\d+(?= )"
    r"|[A-Z][a-z]{2} [ \d]\d " + _CLOCK + r" [\w.-]+ [\w.@-]+(?:\[\d+\])?:"
    r"|\d{1,6}:?\s+(?=[(\[|]|(?:INFO|WARNING|ERROR|DEBUG) |Traceback )"
    r"|: (?=" + _LEVEL + r" )"
    r")\s?"
)
_QUIET = re.compile(
    rf"(?:^|[\s\])|])\[?(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING)\]?:? ?(?=\s|{_STAMP}|\d\d-\d\d )"
)
LINE_LIMIT = 4000
PREFIX_DEPTH = 8


def clean_lines(text: str) -> Iterator[str]:
    """Lines of `text`, each cut at 4,000 characters, without colours, control characters and log prefixes."""
    for line in text.splitlines():
        yield clean(line)


def clean(line: str, limit: int = LINE_LIMIT) -> str:
    """One line without colours, control characters and the process, level, time and file prefixes engines stack."""
    return strip_prefixes(plain(line[:limit])).rstrip()


def plain(line: str) -> str:
    """`line` without colours and control characters; prefixes and spaces at the end stay."""
    if any(map(line.__contains__, _COLOURED)) or ("[" in line and _LOST_ESCAPE.search(line)):
        line = _ANSI.sub("", line)
    return line if line.isprintable() else _CONTROL.sub("", line)


def strip_prefixes(line: str) -> str:
    """`line` without stacked prefixes, at most eight."""
    for _ in range(PREFIX_DEPTH):
        found = _PREFIX.match(line)
        if not found:
            return line
        line = line[found.end() :]
    return line


def has_prefix(line: str) -> bool:
    """True when a plain line begins like a log record, so that it cannot be the rest of a wrapped one."""
    return _PREFIX.match(line) is not None


def is_quiet(line: str) -> bool:
    """True when the prefix of a plain line says that its writer saw no error in it (information or a warning)."""
    head = line[: len(line) - len(strip_prefixes(line))]
    return _QUIET.search(head + " ") is not None or _UVICORN.match(line) is not None


_UVICORN = re.compile(r"\s*(?:INFO|WARNING):\s")
