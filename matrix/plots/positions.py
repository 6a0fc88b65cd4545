"""Share of verify steps that accepted the draft at each position: bars that fall from the first to the k-th."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from matrix.plots.style import colour, drawing, figure, grid, margins, note
from matrix.plots.svg import render

_HEIGHT = 190


@dataclass(frozen=True, slots=True)
class Positions:
    """`rates[i]`: share of steps that accepted position i (0 to 1). `reference`: the same of another run, or empty."""

    name: str
    title: str
    description: str
    rates: tuple[float, ...]


def positions_svg(positions: Positions) -> str:
    """SVG text of the bars, each with its percentage; a rate that is not finite has no bar and reads "not measured"."""
    with drawing():
        sheet, ax = figure(max(280, 60 + 46 * len(positions.rates)), _HEIGHT)
        _bars(ax, positions.rates)
        ax.set_xlim(-0.6, len(positions.rates) - 0.4)
        ax.set_ylim(0, 1.12)
        grid(ax, [(0, "0"), (0.5, "50 %"), (1, "100 %")])
        for x in range(len(positions.rates)):
            note(ax, str(x + 1), (x, 0), (0, -16))
        note(ax, "draft position", (0.5, 0), (0, -34), coords=("axes fraction", "axes fraction"))
        margins(sheet, left=46, right=8, top=6, bottom=40)
        return render(sheet, name=positions.name, title=positions.title, description=positions.description)


def _bars(ax: Axes, rates: Sequence[float]) -> None:
    for x, rate in enumerate(rates):
        known = math.isfinite(rate)
        height = min(max(rate, 0.0), 1.0) if known else 0.0
        ax.bar([x], [height], width=0.62, color=colour("accept"), linewidth=0)
        text = f"{100 * rate:.0f} %" if known else "?"
        note(ax, text, (x, height), (0, 4), coords=("data", "data"), role="ink")
