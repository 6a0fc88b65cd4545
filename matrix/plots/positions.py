"""Share of verify steps that accepted the draft at each position: bars that fall from the first to the k-th."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from matrix.plots.style import colour, drawing, figure, margins, quiet
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
        ax.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
        ax.set_xticks(range(len(positions.rates)), [str(i + 1) for i in range(len(positions.rates))])
        quiet(ax)
        ax.set_xlabel("draft position", color=colour("muted"), fontsize=11)
        margins(sheet, left=46, right=8, top=6, bottom=40)
        return render(sheet, name=positions.name, title=positions.title, description=positions.description)


def _bars(ax: Axes, rates: Sequence[float]) -> None:
    for x, rate in enumerate(rates):
        known = math.isfinite(rate)
        height = min(max(rate, 0.0), 1.0) if known else 0.0
        ax.bar([x], [height], width=0.62, color=colour("accept"), linewidth=0)
        text = f"{100 * rate:.0f} %" if known else "?"
        ax.text(x, height + 0.03, text, ha="center", va="bottom", fontsize=11, color=colour("ink"))
