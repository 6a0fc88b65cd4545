"""Numbers, times and reasons in words. Unknown is always said, never left blank or shown as a number."""

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

NOT_MEASURED = "not measured"

STATE_MEANING: dict[str, str] = {
    "healthy": "as good as before, or nothing to hold against it",
    "degraded": "clearly lower than before",
    "collapsed": "the draft hardly helps any more",
    "broken": "crashed, or measured nothing",
    "slower": "speed fell beyond its noise",
    "wrong-output": "the text differs by more than near-ties",
    "suspicious-high": "too good, look at the output",
    "unknown": "not measured, or not enough evidence",
    "not-applicable": "cannot be run there",
    "queued": "waits in the running sweep",
    "running": "is being measured",
}

_METRIC_WORDS = {"accept-length": "accept length", "speed": "speed", "output": "output"}
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def number(value: float | None, digits: int = 2, missing: str = NOT_MEASURED) -> str:
    """Fixed decimals; None and non-finite values read as `missing`."""
    if value is None or not math.isfinite(value):
        return missing
    return f"{value:,.{digits}f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def count(value: int | None, missing: str = NOT_MEASURED) -> str:
    return missing if value is None else f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def percent(share: float | None, digits: int = 0, missing: str = NOT_MEASURED) -> str:
    """A share in [0, 1] as a percentage."""
    return missing if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f} %"


def signed_percent(share: float) -> str:
    """A relative change with its sign: -54 %, +3.1 %; one decimal below ten per cent."""
    size = abs(100 * share)
    text = f"{size:.1f}" if size < 9.95 else f"{size:.0f}"
    return f"{'−' if share < 0 else '+'}{text} %"


def duration(seconds: float | None, missing: str = NOT_MEASURED) -> str:
    """0.04 s, 1.2 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h."""
    if seconds is None or not math.isfinite(seconds):
        return missing
    if seconds < 0.995:
        return f"{max(seconds, 0):.2f} s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, smaller, name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit}" + (f" {rest} {name}" if rest else "")
    return f"{whole} s"


def size(count_: int | None, missing: str = "unknown size") -> str:
    """Bytes in binary units."""
    if count_ is None:
        return missing
    value = float(count_)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def utc(moment: float | None, missing: str = "unknown time") -> str:
    """2026-01-31 14:05 UTC."""
    stamp = _moment(moment)
    return missing if stamp is None else f"{stamp:%Y-%m-%d %H:%M} UTC"


def iso(moment: float | None) -> str:
    """For the `datetime` attribute; empty when unknown."""
    stamp = _moment(moment)
    return "" if stamp is None else f"{stamp:%Y-%m-%dT%H:%M:%SZ}"


def day(moment: float | None) -> str:
    """2026-01-31 in UTC; empty when unknown."""
    return iso(moment)[:10]


def ago(moment: float | None, now: float | None = None) -> str:
    """How long before `now` (default: this moment) that was."""
    if _moment(moment) is None or moment is None:
        return "unknown time"
    passed = (time.time() if now is None else now) - moment
    if passed < 0:
        return f"in {duration(-passed)}"
    return "just now" if passed < 10 else f"{duration(passed)} ago"


def _moment(moment: float | None) -> datetime | None:
    if moment is None or not math.isfinite(moment):
        return None
    try:
        return datetime.fromtimestamp(moment, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def metric(name: str) -> str:
    return _METRIC_WORDS.get(name, name)


def chip(numbers: Mapping[str, Any]) -> str:
    """Why a verdict stands, in numbers: "−54 %, 95 % interval −58 % to −50 %, 16 paired prompts"; may be empty."""
    change = _real(numbers.get("change"))
    if change is None:
        return ""
    parts = [signed_percent(change)]
    low, high = _real(numbers.get("low")), _real(numbers.get("high"))
    if low is not None and high is not None:
        parts.append(f"95 % interval {signed_percent(low)} to {signed_percent(high)}")
    pairs = numbers.get("pairs")
    if isinstance(pairs, int):
        parts.append(f"{pairs} paired prompt{'s' if pairs != 1 else ''}")
    noise = _real(numbers.get("noise"))
    if noise is not None:
        parts.append(f"noise ±{100 * noise:.1f} %")
    return ", ".join(parts)


def _real(value: Any) -> float | None:
    ok = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if ok else None


def visible(text: str) -> str:
    """Text from outside as a person may safely read it.

    Terminal colours are dropped; other control and direction-changing characters become visible marks, so that hidden
    text cannot reorder or conceal what is shown. Joiners stay: scripts and emoji need them.
    """
    if not _HIDDEN.search(text):
        return text
    return _HIDDEN.sub(_mark, _ANSI.sub("", text).replace("\r\n", "\n"))


def cut(text: str, most: int = 20_000) -> str:
    """The text, or its beginning and end with a line between that counts what is left out."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{count(len(text) - 2 * half)} characters are left out here]\n{text[-half:]}"


def _mark(match: re.Match[str]) -> str:
    char = match[0]
    return "\N{SYMBOL FOR CARRIAGE RETURN}" if char == "\r" else f"⟦U+{ord(char):04X}⟧"
