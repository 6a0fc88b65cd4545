"""Figure set-up shared by all plots, and the colours as roles that a page can theme.

Matplotlib is told one sentinel colour a role; `matrix.plots.svg` turns it into `var(--plot-<role>, <fallback>)`, so
that one rendering serves light and dark pages and still has colours when the file stands alone.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

SENTINELS: dict[str, str] = {
    role: f"#fe{number:02x}01"
    for number, role in enumerate(
        (
            "ink",
            "muted",
            "grid",
            "accept",
            "speed",
            "base",
            "healthy",
            "degraded",
            "collapsed",
            "broken",
            "slower",
            "wrong-output",
            "suspicious-high",
            "unknown",
            "not-applicable",
        )
    )
}

FALLBACKS: dict[str, str] = {
    "ink": "#1c2024",
    "muted": "#5b6570",
    "grid": "#d9dde2",
    "accept": "#1f5fbf",
    "speed": "#0b6e74",
    "base": "#6b7480",
    "healthy": "#1a7f4b",
    "degraded": "#8f5f00",
    "collapsed": "#b0470c",
    "broken": "#b4232a",
    "slower": "#7a5b00",
    "wrong-output": "#8f2f8f",
    "suspicious-high": "#6243c4",
    "unknown": "#5b6570",
    "not-applicable": "#6b7480",
}

# Rendering touches matplotlib's global font caches and settings, and pages are drawn in several threads.
_RENDERING = Lock()


def colour(role: str) -> str:
    """The sentinel colour of a role; an unknown role is drawn as `unknown`."""
    return SENTINELS.get(role, SENTINELS["unknown"])


def figure(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure of `width` x `height` CSS pixels and its one axes (1 SVG unit = 1 CSS pixel)."""
    sheet = Figure(figsize=(width / 72, height / 72), dpi=72)
    FigureCanvasSVG(sheet)
    return sheet, sheet.add_subplot()


def grid(ax: Axes, lines: Sequence[tuple[float, str]], *, right: bool = False) -> None:
    """Horizontal grid lines with their labels at the left or right; all that is left of the axes.

    Matplotlib's own ticks cost three milliseconds each, more than everything else in a plot together.
    """
    ax.set_axis_off()
    for y, text in lines:
        ax.axhline(y, color=colour("grid"), linewidth=1, zorder=0.5)
        side, away = (1, 6) if right else (0, -6)
        note(ax, text, (side, y), (away, -4), ha="left" if right else "right", coords=("axes fraction", "data"))


def note(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    *,
    ha: Literal["left", "center", "right"] = "center",
    coords: tuple[str, str] = ("data", "axes fraction"),
    role: str = "muted",
    **more: Any,
) -> None:
    """Small text at `offset` pixels (up is positive) from a place; `coords` says how x and y are meant."""
    style = {"fontsize": 11, "annotation_clip": False} | more
    ax.annotate(text, at, offset, xycoords=coords, textcoords="offset points", ha=ha, color=colour(role), **style)


def margins(sheet: Figure, *, left: float, right: float, top: float, bottom: float) -> None:
    """Margins around the axes in CSS pixels."""
    width, height = sheet.get_size_inches() * 72
    sheet.subplots_adjust(left=left / width, right=1 - right / width, top=1 - top / height, bottom=bottom / height)


@contextmanager
def drawing() -> Iterator[None]:
    """Settings under which every figure is made and written, for one thread at a time.

    Text stays text (small, selectable, in the page's font), dollar signs in names are no formulas, and ids do not vary.
    """
    with _RENDERING, matplotlib.rc_context():
        matplotlib.rcParams.update(
            {"svg.fonttype": "none", "svg.hashsalt": "specmatrix", "path.simplify": False, "text.parse_math": False}
        )
        yield
