"""Plots as SVG text: trends and per-position bars, drawn by matplotlib's `Figure`."""

from matrix.plots.positions import Positions, positions_svg
from matrix.plots.trend import Trend, TrendPoint, drawable, trend_svg

__all__ = ["Positions", "Trend", "TrendPoint", "drawable", "positions_svg", "trend_svg"]
