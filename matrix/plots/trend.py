"""One metric of one series over its revisions, with the interval of each value and its state along the axis."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from matrix.core.revision import RevisionKind, kind_of
from matrix.plots.marks import marks
from matrix.plots.style import colour, drawing, figure, grid, margins, note
from matrix.plots.svg import render
from matrix.plots.text import label

_HEIGHT = 232
_PAIRED = 600  # two such plots stand beside each other
_NARROW = 358  # a telephone's page without its margins
FEW = 12
"""So many revisions fit beside another plot, and on a telephone."""
_MANY = 30
"""Of more revisions than this the releases are named, and others at a distance from those."""
_APART = 5
_STATE_ROW = 0.09  # height of the strip of states under the values, as a share of the value range


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One revision. `value` None: not measured there. `low`, `high`: ends of the interval. `state` None: not judged."""

    revision: str
    value: float | None
    low: float | None
    high: float | None
    state: str | None
    reference: float | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """What to draw: `role` names the line's colour, `floor` is the natural zero, `ceiling` the highest value.

    `narrow` draws it for a telephone, where at most `FEW` revisions fit.
    """

    name: str
    title: str
    description: str
    role: str
    points: tuple[TrendPoint, ...]
    floor: float = 0.0
    ceiling: float | None = None
    line_label: str = ""
    reference_label: str = ""
    narrow: bool = False


def width_of(trend: Trend) -> int:
    """CSS pixels that its revisions need to stay readable."""
    count = len(trend.points)
    if count > FEW:
        return max(2 * _PAIRED, 62 + 36 * count)
    return _NARROW if trend.narrow else _PAIRED


def trend_svg(trend: Trend) -> str:
    """SVG text of the trend. Values that are not finite count as not measured."""
    with drawing():
        sheet, ax = figure(width_of(trend), _HEIGHT)
        top = _top(trend)
        _values(ax, trend)
        _reference(ax, trend)
        _states(ax, trend, top)
        _axes(ax, trend, top)
        margins(sheet, left=16, right=46, top=14, bottom=_label_room(trend))
        return render(sheet, name=trend.name, title=trend.title, description=trend.description)


def _values(ax: Axes, trend: Trend) -> None:
    tone = colour(trend.role)
    values = [_or_nan(p.value) for p in trend.points]
    ax.plot(
        range(len(values)), values, color=tone, linewidth=1.6, marker="o", markersize=5.5, markeredgewidth=0, zorder=3
    )
    ends = [(x, finite(p.low), finite(p.high)) for x, p in enumerate(trend.points) if finite(p.value) is not None]
    bars = [((x, low), (x, high)) for x, low, high in ends if low is not None and high is not None]
    ax.add_collection(LineCollection(bars, colors=tone, linewidths=5, alpha=0.32, capstyle="round", zorder=2))


def _reference(ax: Axes, trend: Trend) -> None:
    values = [_or_nan(p.reference) for p in trend.points]
    if not all(math.isnan(v) for v in values):
        style = {"color": colour("base"), "linewidth": 1.4, "linestyle": (0, (4, 3)), "marker": "D", "markersize": 3.5}
        ax.plot(range(len(values)), values, zorder=3, **style)  # type: ignore[arg-type]


def _states(ax: Axes, trend: Trend, top: float) -> None:
    marks(ax, [p.state for p in trend.points], trend.floor - (top - trend.floor) * _STATE_ROW)


def _axes(ax: Axes, trend: Trend, top: float) -> None:
    span = top - trend.floor
    row = 2 * _STATE_ROW if any(p.state is not None for p in trend.points) else 0.0
    ax.set_xlim(-0.6, max(len(trend.points) - 0.4, 0.6))
    ax.set_ylim(trend.floor - span * row, top + span * 0.06)
    grid(ax, ticks(trend.floor, top), right=True)
    if trend.ceiling is not None and trend.ceiling <= top * 1.02:
        ax.axhline(trend.ceiling, color=colour("muted"), linewidth=1, linestyle=(0, (1, 3)), zorder=1)
    slanted: dict[str, Any] = {"rotation": 38, "rotation_mode": "anchor"} if _slanted(trend) else {}
    for x in named([p.revision for p in trend.points]):
        note(
            ax,
            label(trend.points[x].revision),
            (x, 0),
            (4, -12) if slanted else (0, -16),
            ha="right" if slanted else "center",
            **slanted,
        )


def named(revisions: Sequence[str]) -> list[int]:
    """Which of the revisions stand under the axis: all, or of many the last, releases, and others far from those."""
    if len(revisions) <= _MANY:
        return list(range(len(revisions)))
    chosen: list[int] = []
    last = len(revisions) - 1
    releases = [x for x, revision in enumerate(revisions) if kind_of(revision) is RevisionKind.RELEASE]
    for group, apart in (([last], 1), (releases, 1), (range(last, -1, -1), _APART)):
        chosen += list(_spaced(group, chosen, apart))
    return sorted(chosen)


def _spaced(group: Iterable[int], chosen: Sequence[int], apart: int) -> Iterator[int]:
    taken = list(chosen)
    for x in group:
        if all(abs(x - other) >= apart for other in taken):
            taken.append(x)
            yield x


def _top(trend: Trend) -> float:
    numbers = [n for p in trend.points for n in (p.value, p.high, p.reference) if n is not None and math.isfinite(n)]
    highest = max([*numbers, trend.floor])
    if trend.ceiling is not None and highest > trend.floor + 0.6 * (trend.ceiling - trend.floor):
        highest = max(highest, trend.ceiling)
    return highest if highest > trend.floor else trend.floor + 1


def ticks(floor: float, top: float) -> list[tuple[float, str]]:
    """Three to five round numbers from the floor upwards, all with the same decimals."""
    raw = (top - floor) / 4
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.99)
    digits = max(0, -math.floor(math.log10(step)))
    values = (floor + i * step for i in range(int((top - floor) / step + 1e-9) + 1))
    return [(value, f"{value:.{digits}f}") for value in values]


def _slanted(trend: Trend) -> bool:
    room = (width_of(trend) - 62) / max(len(trend.points), 1)
    return max((len(label(p.revision)) for p in trend.points), default=0) * 6.5 + 8 > room


def _label_room(trend: Trend) -> float:
    longest = max((len(label(p.revision)) for p in trend.points), default=0)
    return 20 + longest * 6.2 * math.sin(math.radians(38)) if _slanted(trend) else 26


def finite(value: float | None) -> float | None:
    """The value, or None when it is missing or not a finite number."""
    return value if value is not None and math.isfinite(value) else None


def _or_nan(value: float | None) -> float:
    number = finite(value)
    return math.nan if number is None else number


def drawable(points: Sequence[TrendPoint]) -> bool:
    """True when at least one point has a value: an empty plot says less than a sentence."""
    return any(finite(p.value) is not None for p in points)
