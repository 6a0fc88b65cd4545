"""Plots as SVG text: trends, per-position bars and histograms, drawn by matplotlib's `Figure`."""

from matrix.plots.positions import Positions, positions_svg
from matrix.plots.trend import FEW, Trend, TrendPoint, drawable, trend_svg
from matrix.plots.values import Values, values_svg

__all__ = ["FEW", "Positions", "Trend", "TrendPoint", "Values", "drawable", "positions_svg", "trend_svg", "values_svg"]
