"""Measured accept lengths set against those that a draft's author published."""

from dataclasses import dataclass

from matrix.core.expectation import Bonus, Expectation
from matrix.stats.settings import DEFAULTS

ONE_TOKEN = 0.1
"""Two accept lengths whose difference is this near to 1 differ by the bonus token, as far as two digits tell."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`expected` is the published value with the bonus token counted, None where it is refused or ambiguous.

    `share` is measured / expected - 1; `text` says all in one sentence, the differences between the two included.
    """

    text: str
    expected: float | None = None
    share: float | None = None


def set_against(
    expected: Expectation, measured: float | None, *, workload: str, k: int | None, floor: float = DEFAULTS.collapsed
) -> Compared:
    """One run's accept length beside one published value.

    A published value under `floor` with the bonus token counted is a broken baseline: nothing is held against it.
    """
    said = f"published {expected.value:g}{_source(expected)}"
    readings = _readings(expected)
    best = max(readings)
    if best < floor:
        return Compared(f"{said} is refused as a reference: {best:g} with the bonus token is a draft that does nothing")
    if measured is None:
        return Compared(f"{said}; nothing was measured to set against it", best if len(readings) == 1 else None)
    differ = "; ".join(_unlike(expected, workload, k))
    tail = f"; {differ}" if differ else ""
    if len(readings) == 1:
        share = measured / best - 1
        counted = "" if best == expected.value else f" ({best:g} with the bonus token)"
        return Compared(f"measured {measured:.2f}, {said}{counted}, {_percent(share)}{tail}", best, share)
    return Compared(f"measured {measured:.2f}, {said}, {_either(expected.value, measured)}{tail}")


def _source(expected: Expectation) -> str:
    at = f" at k = {expected.k}" if expected.k is not None else ""
    return (f" on {expected.workload}" if expected.workload else "") + at


def _readings(expected: Expectation) -> tuple[float, ...]:
    """The value as it is and with one token more; below 1 the bonus token cannot be in it."""
    if expected.bonus is Bonus.YES:
        return (expected.value,)
    if expected.bonus is Bonus.NO or expected.value < 1:
        return (expected.value + 1,)
    return expected.value, expected.value + 1


def _either(value: float, measured: float) -> str:
    plain, more = measured / value - 1, measured / (value + 1) - 1
    if abs(measured - value - 1) <= ONE_TOKEN:
        return f"one token more, as if the published value left the bonus token out ({_percent(more)} then)"
    return f"{_percent(plain)} if that counts the bonus token, {_percent(more)} if not: unknown"


def _unlike(expected: Expectation, workload: str, k: int | None) -> list[str]:
    found = []
    if not expected.workload:
        found.append("the published workload is unknown")
    elif expected.workload != workload:
        found.append(f"other prompts ({expected.workload} there, {workload} here), so only the order of size compares")
    if expected.k is not None and k is not None and expected.k != k:
        found.append(f"k = {expected.k} there, {k} here")
    return found


def _percent(share: float) -> str:
    return f"{100 * share:+.0f} %".replace("+0 %", "0 %").replace("-0 %", "0 %")
