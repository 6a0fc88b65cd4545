"""Speed-up against accept length: a draft can be accepted well and still cost more than it saves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from matrix.plots.style import colour, drawing, figure, grid, margins, note
from matrix.plots.svg import render
from matrix.plots.text import label
from matrix.plots.trend import ticks

_WIDTH, _NARROW, _HEIGHT = 600, 340, 300
_MARKERS = ("o", "D", "^", "s", "v")
_NAMED = 12


@dataclass(frozen=True, slots=True)
class Both:
    """One series at its newest revision; `group` (the engine) chooses the marker."""

    label: str
    group: str
    accept_length: float
    speedup: float


@dataclass(frozen=True, slots=True)
class Speedups:
    name: str
    title: str
    description: str
    points: tuple[Both, ...]
    narrow: bool = False
    """Fit the width of a telephone."""


def speedup_svg(drawn: Speedups) -> str:
    """SVG text; a dashed line marks the speed without a draft. Needs one point."""
    points = [p for p in drawn.points if math.isfinite(p.accept_length) and math.isfinite(p.speedup)]
    right = max([p.accept_length for p in points] + [1.0]) * 1.08
    top = max([p.speedup for p in points] + [1.0]) * 1.12
    with drawing():
        sheet, ax = figure(_NARROW if drawn.narrow else _WIDTH, _HEIGHT)
        ax.set_xlim(0.9, max(right, 1.5))
        _points(ax, points)
        ax.set_ylim(0, top)
        grid(ax, [(at, f"{text}×") for at, text in ticks(0.0, top)])
        ax.axhline(1, color=colour("base"), linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)
        note(ax, "without a draft", (1, 1), (-4, 4), ha="right", coords=("axes fraction", "data"))
        for at, text in ticks(1.0, max(right, 1.5)):
            note(ax, text, (at, 0), (0, -16))
        note(ax, "accept length", (0.5, 0), (0, -34), coords=("axes fraction", "axes fraction"))
        margins(sheet, left=48, right=14, top=10, bottom=44)
        return render(sheet, name=drawn.name, title=drawn.title, description=drawn.description)


def _points(ax: Axes, points: Sequence[Both]) -> None:
    groups = sorted({point.group for point in points})
    for number, group in enumerate(groups):
        mine = [point for point in points if point.group == group]
        ax.plot(
            [p.accept_length for p in mine],
            [p.speedup for p in mine],
            linestyle="none",
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=8,
            color=colour(("accept", "speed")[number % 2]),
            markeredgewidth=0,
            zorder=3,
        )
    # More names than these would lie on each other; all stand in the description.
    for point in points if len(points) <= _NAMED else ():
        name = label(f"{point.group} {point.label}".strip())
        at, inward = (point.accept_length, point.speedup), point.accept_length > sum(ax.get_xlim()) / 2
        # A name is written towards the middle: at the edge it would be cut off.
        note(ax, name, at, (-7 if inward else 7, -4), ha="right" if inward else "left", coords=("data", "data"))
