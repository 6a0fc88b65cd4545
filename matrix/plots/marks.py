"""The mark of each state, by shape: the same idea as the page's glyphs, drawn in a square from -1 to 1."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.path import Path

from matrix.plots.style import colour, note

_HOURGLASS = Path([(-0.8, 1), (0.8, 1), (0.12, 0), (0.8, -1), (-0.8, -1), (-0.12, 0), (-0.8, 1)], closed=True)
_ARROW = [(-0.16, 1), (0.16, 1), (0.16, 0.1), (0.62, 0.1), (0, -0.55), (-0.62, 0.1), (-0.16, 0.1), (-0.16, 1)]
_FLOOR = [(-0.8, -0.72), (0.8, -0.72), (0.8, -1), (-0.8, -1), (-0.8, -0.72)]
_COLLAPSED = Path.make_compound_path(Path(_ARROW, closed=True), Path(_FLOOR, closed=True))

_SHAPES: dict[str, str | Path] = {
    "healthy": "o",
    "degraded": "v",
    "collapsed": _COLLAPSED,
    "broken": "X",
    "slower": _HOURGLASS,
    "suspicious-high": "^",
}
_LETTERS = {"wrong-output": "≠", "unknown": "?", "not-applicable": "–"}
_SIZE = {"healthy": 6.5, "collapsed": 10.0, "slower": 8.5}


def marks(ax: Axes, states: Sequence[str | None], y: float) -> None:
    """Draw the mark of each state at height `y`, one a step along x; None draws nothing, an unknown word as unknown."""
    places: dict[str, list[int]] = {}
    for x, state in enumerate(states):
        if state is not None:
            places.setdefault(state, []).append(x)
    for state, xs in places.items():
        shape = _SHAPES.get(state)
        if shape is None:
            _letters(ax, xs, y, state)
        else:
            _shapes(ax, xs, y, state, shape)


def _shapes(ax: Axes, xs: list[int], y: float, state: str, shape: str | Path) -> None:
    hollow = state == "suspicious-high"
    ax.plot(
        xs,
        [y] * len(xs),
        linestyle="none",
        marker=shape,
        markersize=_SIZE.get(state, 8.0),
        color=colour(state),
        markerfacecolor="none" if hollow else colour(state),
        markeredgewidth=1.4 if hollow else 0,
        clip_on=False,
    )


def _letters(ax: Axes, xs: list[int], y: float, state: str) -> None:
    text = _LETTERS.get(state, _LETTERS["unknown"])
    for x in xs:
        note(ax, text, (x, y), (0, -4), coords=("data", "data"), role=state, fontsize=12, fontweight="bold")
