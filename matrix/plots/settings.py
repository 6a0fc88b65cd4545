"""Accept length by speculation settings, as model cards draw it: top-k down, draft tokens across, a panel for steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from matrix.plots.style import colour, drawing, figure, margins, note
from matrix.plots.svg import render

_CELL = 62
_GAP = 0.4
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 8, 26, 44
_STRONGEST = 0.5
"""Opacity of the greatest value's field: text on it stays readable in light and dark."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One measured setting; None was not asked for. `value` is an accept length."""

    steps: int | None
    topk: int | None
    draft_tokens: int | None
    value: float


@dataclass(frozen=True, slots=True)
class Settings:
    """What to draw; of one setting the last value counts."""

    name: str
    title: str
    description: str
    settings: tuple[Setting, ...]


def settings_svg(drawn: Settings) -> str:
    """SVG text of the panels; a combination that was not measured reads "?". Needs one setting."""
    found = {(s.steps, s.topk, s.draft_tokens): s.value for s in drawn.settings if math.isfinite(s.value)}
    panels, rows, columns = (_values(found, at) for at in range(3))
    across = len(panels) * (len(columns) + _GAP) - _GAP
    with drawing():
        sheet, ax = figure(_LEFT + _RIGHT + _CELL * across, _TOP + _BOTTOM + 0.6 * _CELL * len(rows))
        ax.set_axis_off()
        ax.set_xlim(0, across)
        ax.set_ylim(len(rows), 0)
        for number, steps in enumerate(panels):
            left = number * (len(columns) + _GAP)
            _panel(ax, left, {key[1:]: value for key, value in found.items() if key[0] == steps}, rows, columns, found)
            note(ax, f"{_said(steps)} steps", (left + len(columns) / 2, 1), (0, 9), role="ink")
        for at, topk in enumerate(rows):
            note(ax, f"top-k {_said(topk)}", (0, at + 0.5), (-6, -4), ha="right", coords=("axes fraction", "data"))
        note(ax, "draft tokens", (0.5, 0), (0, -34), coords=("axes fraction", "axes fraction"))
        margins(sheet, left=_LEFT, right=_RIGHT, top=_TOP, bottom=_BOTTOM)
        return render(sheet, name=drawn.name, title=drawn.title, description=drawn.description)


Key = tuple[int | None, int | None, int | None]


def _panel(
    ax: Axes,
    left: float,
    values: dict[tuple[int | None, int | None], float],
    rows: Sequence[int | None],
    columns: Sequence[int | None],
    every: dict[Key, float],
) -> None:
    low, high = min(every.values()), max(every.values())
    for x, tokens in enumerate(columns):
        note(ax, _said(tokens), (left + x + 0.5, 0), (0, -16))
        for y, topk in enumerate(rows):
            value = values.get((topk, tokens))
            share = 0.0 if value is None else 0.12 + 0.88 * ((value - low) / (high - low) if high > low else 1.0)
            place = (left + x + 0.03, y + 0.05)
            ax.add_patch(Rectangle(place, 0.94, 0.9, color=colour("accept"), alpha=_STRONGEST * share, linewidth=0))
            text = "?" if value is None else f"{value:.2f}"
            role = "muted" if value is None else "ink"
            note(ax, text, (left + x + 0.5, y + 0.5), (0, -4), coords=("data", "data"), role=role)


def _values(found: dict[Key, float], at: int) -> list[int | None]:
    """All values of one part of the keys in order, those that were not asked for last."""
    return sorted({key[at] for key in found}, key=lambda value: (value is None, value or 0))


def _said(value: int | None) -> str:
    return "default" if value is None else str(value)
