"""One metric of one series over its revisions, with the interval of each value and its state along the axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from matrix.plots.style import MARKERS, colour, drawing, figure, margins, quiet
from matrix.plots.svg import render

_HEIGHT = 232
_STATE_ROW = 0.075  # height of the strip of states under the values, as a share of the value range


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One revision. `value` None: not measured there. `low`, `high`: ends of the interval, None when there is none."""

    revision: str
    value: float | None
    low: float | None
    high: float | None
    state: str
    reference: float | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """What to draw: `role` names the line's colour, `floor` is the natural zero, `ceiling` the highest value."""

    name: str
    title: str
    description: str
    role: str
    points: tuple[TrendPoint, ...]
    floor: float = 0.0
    ceiling: float | None = None
    line_label: str = ""
    reference_label: str = ""


def width_for(count: int) -> int:
    """CSS pixels that `count` revisions need to stay readable."""
    return max(520, 64 + 34 * count)


def trend_svg(trend: Trend) -> str:
    """SVG text of the trend. Values that are not finite count as not measured."""
    with drawing():
        width = width_for(len(trend.points))
        sheet, ax = figure(width, _HEIGHT)
        top = _top(trend)
        _values(ax, trend)
        _reference(ax, trend)
        _states(ax, trend, top)
        _axes(ax, trend, top)
        margins(sheet, left=46, right=16, top=14, bottom=_label_room(trend))
        return render(sheet, name=trend.name, title=trend.title, description=trend.description)


def _values(ax: Axes, trend: Trend) -> None:
    tone = colour(trend.role)
    ax.plot(range(len(trend.points)), [_or_nan(p.value) for p in trend.points], color=tone, linewidth=1.6, zorder=3)
    for x, point in enumerate(trend.points):
        value, low, high = finite(point.value), finite(point.low), finite(point.high)
        if value is None:
            continue
        if low is not None and high is not None:
            ax.plot([x, x], [low, high], color=tone, linewidth=5, alpha=0.32, solid_capstyle="round", zorder=2)
        ax.plot([x], [value], marker="o", markersize=5.5, color=tone, zorder=4)


def _reference(ax: Axes, trend: Trend) -> None:
    values = [_or_nan(p.reference) for p in trend.points]
    if not all(math.isnan(v) for v in values):
        style = {"color": colour("base"), "linewidth": 1.4, "linestyle": (0, (4, 3)), "marker": "D", "markersize": 3.5}
        ax.plot(range(len(values)), values, zorder=3, **style)  # type: ignore[arg-type]


def _states(ax: Axes, trend: Trend, top: float) -> None:
    y = trend.floor - (top - trend.floor) * _STATE_ROW
    for x, point in enumerate(trend.points):
        marker = MARKERS.get(point.state, MARKERS["unknown"])
        ax.plot([x], [y], marker=marker, markersize=8, color=colour(point.state), markeredgewidth=0.8, clip_on=False)


def _axes(ax: Axes, trend: Trend, top: float) -> None:
    span = top - trend.floor
    count = len(trend.points)
    ax.set_xlim(-0.6, max(count - 0.4, 0.6))
    ax.set_ylim(trend.floor - span * 2 * _STATE_ROW, top + span * 0.04)
    ax.set_yticks(_ticks(trend.floor, top))
    ax.axhline(trend.floor, color=colour("grid"), linewidth=1, zorder=1)
    if trend.ceiling is not None and trend.ceiling <= top * 1.02:
        ax.axhline(trend.ceiling, color=colour("muted"), linewidth=1, linestyle=(0, (1, 3)), zorder=1)
    ax.set_xticks(range(count), [_short(p.revision) for p in trend.points])
    quiet(ax)
    if _slanted(trend):
        ax.tick_params(axis="x", labelrotation=38)
        for label in ax.get_xticklabels():
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")


def _top(trend: Trend) -> float:
    numbers = [n for p in trend.points for n in (p.value, p.high, p.reference) if n is not None and math.isfinite(n)]
    highest = max([*numbers, trend.floor])
    if trend.ceiling is not None and highest > trend.floor + 0.6 * (trend.ceiling - trend.floor):
        highest = max(highest, trend.ceiling)
    return highest if highest > trend.floor else trend.floor + 1


def _ticks(floor: float, top: float) -> list[float]:
    """Three to six round numbers from the floor upwards."""
    raw = (top - floor) / 5
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw)
    return [floor + i * step for i in range(int((top - floor) / step) + 1)]


def _slanted(trend: Trend) -> bool:
    room = (width_for(len(trend.points)) - 62) / max(len(trend.points), 1)
    return max((len(_short(p.revision)) for p in trend.points), default=0) * 6.5 + 8 > room


def _label_room(trend: Trend) -> float:
    longest = max((len(_short(p.revision)) for p in trend.points), default=0)
    return 20 + longest * 6.2 * math.sin(math.radians(38)) if _slanted(trend) else 26


def _short(revision: str) -> str:
    return revision if len(revision) <= 18 else f"{revision[:8]}…{revision[-8:]}"


def finite(value: float | None) -> float | None:
    """The value, or None when it is missing or not a finite number."""
    return value if value is not None and math.isfinite(value) else None


def _or_nan(value: float | None) -> float:
    number = finite(value)
    return math.nan if number is None else number


def drawable(points: Sequence[TrendPoint]) -> bool:
    """True when at least one point has a value: an empty plot says less than a sentence."""
    return any(finite(p.value) is not None for p in points)
