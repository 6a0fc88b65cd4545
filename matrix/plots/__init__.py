"""Plots as SVG text: trends, bars, histograms and fields of settings, drawn by matplotlib's `Figure`."""

from matrix.plots.positions import Positions, positions_svg
from matrix.plots.settings import Setting, Settings, settings_svg
from matrix.plots.speedup import Both, Speedups, speedup_svg
from matrix.plots.trend import FEW, Trend, TrendPoint, drawable, trend_svg
from matrix.plots.values import Values, values_svg

__all__ = [
    "FEW",
    "Both",
    "Positions",
    "Setting",
    "Settings",
    "Speedups",
    "Trend",
    "TrendPoint",
    "Values",
    "drawable",
    "positions_svg",
    "settings_svg",
    "speedup_svg",
    "trend_svg",
    "values_svg",
]
