"""The plot of speed-ups has a drawing that fits a telephone."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from matrix.plots import Both, Speedups, speedup_svg


def width(drawn: Speedups) -> float:
    return float(ET.fromstring(speedup_svg(drawn)).attrib["viewBox"].split()[2])


def test_the_narrow_drawing_fits_a_telephone_and_keeps_its_points() -> None:
    drawn = Speedups("speedup", "title", "description", (Both("eagle3", "vllm", 2.23, 1.21),))
    narrow = replace(drawn, narrow=True)
    assert width(narrow) < 360 < width(drawn)
    assert "vllm eagle3" in speedup_svg(narrow)
