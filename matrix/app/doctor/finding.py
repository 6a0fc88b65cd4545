"""What a check found."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """`warn`: sweeps run, with less than they could have. `fail`: some of them cannot run, or would be in doubt."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `matrix doctor`; `fix` is empty where nothing is to be done."""

    check: str
    level: Level
    text: str
    fix: str = ""


def ok(check: str, text: str) -> Finding:
    return Finding(check, Level.OK, text)


def warn(check: str, text: str, fix: str) -> Finding:
    return Finding(check, Level.WARN, text, fix)


def fail(check: str, text: str, fix: str) -> Finding:
    return Finding(check, Level.FAIL, text, fix)
