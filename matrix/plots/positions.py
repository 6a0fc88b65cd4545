"""Share of verify steps that accepted the draft at each position: bars that fall from the first to the k-th.

Every run's page has this plot, and hardly two are alike. Matplotlib takes 25 ms for it, twice as long as all the rest
of the page, and draws for one page at a time; these few bars are written straight.
"""

import math
from dataclasses import dataclass
from xml.etree import ElementTree as ET  # nosec B405

from matrix.plots.svg import add, sheet, written

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 190, 46, 8, 6, 40
_MOST = 1.12
"""The share at the upper edge: above a bar of 100 % there is room for its figure."""
_BESIDE, _BAR = 0.6, 0.62
"""Room left of the middle of the first bar and right of that of the last, and a bar's width, of the way between two."""


@dataclass(frozen=True, slots=True)
class Positions:
    """`rates[i]`: share of steps that accepted position i (0 to 1)."""

    name: str
    title: str
    description: str
    rates: tuple[float, ...]


def positions_svg(positions: Positions) -> str:
    """SVG text of the bars, each with its percentage; a rate that is not finite has no bar and reads "?"."""
    count = len(positions.rates)
    width = max(280, 60 + 46 * count)
    labels = {"name": positions.name, "title": positions.title, "description": positions.description}
    root = sheet(width, _HEIGHT, **labels)
    for share, text in ((0.0, "0"), (0.5, "50 %"), (1.0, "100 %")):
        add(root, "line", "grid", x1=_LEFT, x2=width - _RIGHT, y1=_level(share), y2=_level(share))
        _note(root, text, _LEFT - 6, _level(share) + 4, anchor="end")
    step = (width - _LEFT - _RIGHT) / (count - 1 + 2 * _BESIDE)
    for position, rate in enumerate(positions.rates):
        _bar(root, position, rate, _LEFT + (position + _BESIDE) * step, step * _BAR)
    _note(root, "draft position", (_LEFT + width - _RIGHT) / 2, _HEIGHT - _BOTTOM + 34)
    return written(root)


def _bar(root: ET.Element, position: int, rate: float, middle: float, width: float) -> None:
    known = math.isfinite(rate)
    top = _level(min(max(rate, 0.0), 1.0) if known else 0.0)
    if top < _level(0.0):
        add(root, "rect", "accept", x=middle - width / 2, y=top, width=width, height=_level(0.0) - top)
    _note(root, f"{100 * rate:.0f} %" if known else "?", middle, top - 4, role="ink")
    _note(root, str(position + 1), middle, _level(0.0) + 16)


def _level(share: float) -> float:
    """How far below the upper edge of the sheet."""
    return _TOP + (1 - share / _MOST) * (_HEIGHT - _TOP - _BOTTOM)


def _note(root: ET.Element, text: str, x: float, y: float, *, anchor: str = "middle", role: str = "muted") -> None:
    add(root, "text", role, text, x=x, y=y, font_size="11px", text_anchor=anchor)
