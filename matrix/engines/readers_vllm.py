"""vLLM's two log records of acceptance, field by field.

V1 `SpecDecoding metrics` (0.8.5 on) counts one logging window; 0.8.5 alone leaves the bonus token out of its mean. V0
`Speculative metrics` (to 0.9.2) counts since the server's start, and its accepted tokens include positions behind a
rejected one, so the length is emitted * k / draft tokens, or system efficiency * (k + 1).
"""

import re

from matrix.engines.reading import (
    BONUS_ADDED,
    CUMULATIVE,
    FROM_POSITIONS,
    NOT_A_NUMBER,
    SLACK,
    Context,
    Reading,
    number,
)

_END = r"(?=[,;\s%]|\.(?:\s|$))"
_MEAN = re.compile(rf"Mean acceptance length: (?P<x>\d+\.\d\d|-?nan|-?inf){_END}")
_ACCEPTED = re.compile(rf"Accepted: (\d{{1,15}}) tokens{_END}")
_DRAFTED = re.compile(rf"Drafted: (\d{{1,15}}) tokens{_END}")
_POSITIONS = re.compile(r"Per-position acceptance rate: (?P<list>(?:\d\.\d{3}, )*\d\.\d{3})(?:,? (?=[A-Z])|\s*$)")
_EFFICIENCY = re.compile(rf"System efficiency: (\d+\.\d+|nan){_END}")
_K = re.compile(rf"Number of speculative tokens: (\d{{1,15}}){_END}")
_V0_DRAFT = re.compile(rf"Number of draft tokens(?: tokens)?: (\d{{1,15}}){_END}")
_EMITTED = re.compile(rf"Number of emitted tokens(?: tokens)?: (\d{{1,15}}){_END}")


def read(text: str, context: Context) -> list[Reading]:
    """The record's one reading; empty where its number is cut off."""
    if "Speculative metrics" in text:
        return _v0(text)
    return _v1(text, context)


def complete(text: str) -> bool:
    """True when a V1 record has its last field: the rate (0.10.2 on) or the positions behind a rate in front."""
    if "Avg Draft acceptance rate: " in text:
        return text.rstrip().endswith("%")
    return "metrics: Draft acceptance rate" in text and _POSITIONS.search(text) is not None


def _v1(text: str, context: Context) -> list[Reading]:
    mean = _MEAN.search(text)
    if not mean:
        return []
    value = number(mean["x"])
    if value is None:
        return [Reading(None, "window", (NOT_A_NUMBER,))]
    rates = _rates(text)
    k = len(rates) if rates else context.k
    accepted, drafted = _whole(_ACCEPTED, text), _whole(_DRAFTED, text)
    flags: tuple[str, ...] = ()
    if _without_bonus(value, rates):
        value, flags = value + 1, (BONUS_ADDED,)
    drafts = _drafts(value, accepted, drafted, k)
    return [Reading(value, "window", flags, drafts=drafts, accepted=accepted, k=k)]


def _rates(text: str) -> list[float]:
    found = _POSITIONS.search(text)
    return [float(x) for x in found["list"].split(", ")] if found else []


def _without_bonus(value: float, rates: list[float]) -> bool:
    """0.8.5's definition: the mean is the sum of the position rates, where later releases add one."""
    if not rates:
        return value < 1
    slack = SLACK + 0.0006 * len(rates)
    return abs(value - sum(rates)) <= slack < abs(value - 1 - sum(rates))


def _drafts(value: float, accepted: int | None, drafted: int | None, k: int | None) -> int | None:
    """Verify steps of a window: drafted / k where every step proposed k, else from the mean."""
    if drafted and k and drafted % k == 0:
        return drafted // k
    if accepted and value > 1:
        return round(accepted / (value - 1))
    return drafted // k if drafted and k else None


def _v0(text: str) -> list[Reading]:
    k, drafted, emitted = _whole(_K, text), _whole(_V0_DRAFT, text), _whole(_EMITTED, text)
    if k and drafted and emitted is not None:
        return [since_start(k, drafted, emitted)]
    efficiency = _EFFICIENCY.search(text)
    if not k or not efficiency:
        return []
    share = number(efficiency[1])
    if share is None:
        return [Reading(None, "cumulative", (CUMULATIVE, NOT_A_NUMBER), k=k)]
    return [Reading(max(share * (k + 1), 1.0), "cumulative", (CUMULATIVE,), k=k)]


def since_start(k: int, drafted: int, emitted: int) -> Reading:
    """The reading of V0's counts; `drafted` is above 0."""
    steps = drafted // k
    return Reading(emitted * k / drafted, "cumulative", (CUMULATIVE,), drafts=steps, accepted=emitted - steps, k=k)


def positions(text: str) -> list[Reading]:
    """A bare list of per-position rates: 1 + their sum, when they fall as such rates must."""
    rates = _rates(text)
    if not rates or rates != sorted(rates, reverse=True) or rates[0] > 1:
        return []
    return [Reading(1 + sum(rates), "window", (FROM_POSITIONS,), k=len(rates))]


def _whole(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(found[1]) if found else None
