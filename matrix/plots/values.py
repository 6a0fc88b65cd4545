"""Values seen where the answer was good and where it was bad, as two histograms over one axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from matrix.plots.style import colour, drawing, figure, grid, margins, note
from matrix.plots.svg import render

_WIDTH, _HEIGHT = 420, 196
_BINS = 24


@dataclass(frozen=True, slots=True)
class Values:
    """`good` and `bad`: one number a run, in `unit`."""

    name: str
    title: str
    description: str
    unit: str
    good: tuple[float, ...]
    bad: tuple[float, ...]


def values_svg(values: Values) -> str:
    """SVG text: bars of good runs above the axis and of bad ones below it, told apart by place. Needs one value."""
    found = [v for v in (*values.good, *values.bad) if math.isfinite(v)]
    low, high = _room(found)
    with drawing():
        sheet, ax = figure(_WIDTH, _HEIGHT)
        good, bad = (_counts(side, low, high) for side in (values.good, values.bad))
        most = max(*good, *bad, 1)
        _bars(ax, good, low, high, "healthy")
        _bars(ax, [-n for n in bad], low, high, "broken")
        ax.set_xlim(low, high)
        ax.set_ylim(-1.15 * most, 1.15 * most)
        grid(ax, [(most, str(most)), (0, "0"), (-most, str(most))])
        note(ax, f"good ({len(values.good)})", (0, most), (4, 6), ha="left", coords=("axes fraction", "data"))
        note(ax, f"bad ({len(values.bad)})", (0, -most), (4, -13), ha="left", coords=("axes fraction", "data"))
        for at in (low, (low + high) / 2, high):
            note(ax, f"{at:.2f}", (at, 0), (0, -20))
        note(ax, values.unit, (0.5, 0), (0, -36), coords=("axes fraction", "axes fraction"))
        margins(sheet, left=34, right=24, top=10, bottom=44)
        return render(sheet, name=values.name, title=values.title, description=values.description)


def _room(found: Sequence[float]) -> tuple[float, float]:
    """Ends of the axis: all values and a twentieth on each side, at least 5 % of their size."""
    low, high = min(found), max(found)
    edge = max((high - low) / 20, 0.025 * max(abs(low), abs(high)), 0.01)
    return low - edge, high + edge


def _counts(found: Sequence[float], low: float, high: float) -> list[int]:
    counts = [0] * _BINS
    for value in found:
        if math.isfinite(value):
            counts[min(int((value - low) / (high - low) * _BINS), _BINS - 1)] += 1
    return counts


def _bars(ax: Axes, counts: Sequence[int], low: float, high: float, role: str) -> None:
    width = (high - low) / _BINS
    for i, number in enumerate(counts):
        if number:
            ax.bar([low + (i + 0.5) * width], [number], width=0.86 * width, color=colour(role), linewidth=0)
