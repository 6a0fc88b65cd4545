"""The numbers behind a verdict, named and written out."""

import math
from collections.abc import Mapping
from typing import Any

from matrix.app.regression import Regression
from matrix.core.state import Metric
from matrix.stats.words import percent, span

NOT_MEASURED = "not measured"


def figures(item: Regression) -> list[tuple[str, str]]:
    """(name, value) pairs: both values, and of the change with its evidence what was worked out."""
    digits = 1 if item.metric == Metric.SPEED else 3
    values = [("before", _fixed(item.value_before, digits)), ("after", _fixed(item.value_after, digits))]
    return [pair for pair in (*values, _change(item), *_evidence(item.numbers)) if pair[1]]


def _change(item: Regression) -> tuple[str, str]:
    """The change that was judged; without one, the plain ratio of the two values, which proves nothing by itself."""
    judged = _real(item.numbers.get("change"))
    if judged is None and item.value_before and item.value_after is not None:
        judged = item.value_after / item.value_before - 1
    return "change", "" if judged is None else percent(judged)


def _evidence(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    value = {name: _real(found) for name, found in numbers.items()}
    low, high, noise = (value.get(name) for name in ("low", "high", "noise"))
    if value.get("change") is None:
        return []
    return [
        ("95 % interval", span(low, high) if low is not None and high is not None else ""),
        ("pairs", _count(value.get("pairs"))),
        _chance(value),
        ("noise between boots", f"{100 * noise:.2g} %" if noise is not None else ""),
        ("boots", _boots(value)),
    ]


def _chance(value: Mapping[str, float | None]) -> tuple[str, str]:
    """q where it was worked out over the sweep, else p of the fall."""
    q, p = value.get("q"), value.get("p_fall")
    if q is not None:
        return "q", f"{q:.2g}"
    return "p", f"{p:.2g}" if p is not None else ""


def _boots(value: Mapping[str, float | None]) -> str:
    sides = [_count(value.get(name)) for name in ("boots_before", "boots_after")]
    return f"{sides[0]} before, {sides[1]} after" if all(sides) else ""


def _fixed(value: float | None, digits: int) -> str:
    return NOT_MEASURED if value is None else f"{value:.{digits}f}"


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _real(value: Any) -> float | None:
    ok = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if ok else None
