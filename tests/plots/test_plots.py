import math
import re
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree as ET

import pytest

from matrix.core.state import State
from matrix.plots import Positions, Trend, TrendPoint, Values, drawable, positions_svg, trend_svg, values_svg

SVG = "{http://www.w3.org/2000/svg}"


def trend(*points: TrendPoint, **values: object) -> Trend:
    base = {"name": "t", "title": "Title", "description": "Words", "role": "accept", "floor": 1.0, "ceiling": 4.0}
    return Trend(points=points, **(base | values))  # type: ignore[arg-type]


def point(revision: str = "0.1", value: float | None = 2.0, state: str | None = "healthy") -> TrendPoint:
    return TrendPoint(
        revision, value, None if value is None else value - 0.1, None if value is None else value + 0.1, state
    )


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_equal_input_gives_equal_text_also_across_threads() -> None:
    one = trend(*(point(f"0.{n}", 2 + n / 10) for n in range(12)))
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(trend_svg, [one] * 12))) == 1


def test_nothing_tells_when_it_was_drawn() -> None:
    svg = trend_svg(trend(point()))
    assert "<metadata" not in svg and not re.search(r"\b20\d\d-\d\d-\d\d", svg)


def test_it_fits_a_page_without_inline_styles() -> None:
    for svg in (
        trend_svg(trend(point(), point("2", None, "broken"))),
        positions_svg(Positions("p", "T", "D", (0.5, 0.2))),
    ):
        assert "style" not in svg and "<script" not in svg and "DOCTYPE" not in svg and "<?xml" not in svg
        colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg))
        assert all(c == "none" or c.startswith("var(--plot-") for c in colours)


def test_it_is_read_out_by_title_and_description() -> None:
    root = ET.fromstring(trend_svg(trend(point())))
    assert root.get("role") == "img"
    found = {element.get("id"): element.text for element in root if element.get("id")}
    assert [found[name] for name in (root.get("aria-labelledby") or "").split()] == ["Title", "Words"]


def test_two_plots_on_one_page_share_no_id_and_every_reference_is_met() -> None:
    seen: set[str] = set()
    for name in ("a", "b"):
        root = ET.fromstring(trend_svg(trend(point(), point("2"), name=name)))
        ids = [e.get("id") or "" for e in root.iter() if e.get("id")]
        used = {v[1:] for e in root.iter() for k, v in e.attrib.items() if k.endswith("href")}
        used |= {m for e in root.iter() for v in e.attrib.values() for m in re.findall(r"url\(#(.+?)\)", v)}
        assert used <= set(ids) and len(ids) == len(set(ids)) and not seen & set(ids)
        seen |= set(ids)


@pytest.mark.parametrize("state", [*State, "no such state"])
def test_every_state_is_drawn_in_its_colour(state: str) -> None:
    drawn = trend_svg(trend(point(state=state)))
    role = state if state in list(State) else "unknown"
    assert f"--plot-{role}," in drawn


def test_marks_of_all_states_differ_without_colour() -> None:
    def bare(state: str) -> str:
        return re.sub(r'id="[^"]*"|href="[^"]*"|var\([^)]*\)', "", trend_svg(trend(point(state=state))))

    assert len({bare(state) for state in State}) == len(State)


def test_what_is_not_judged_has_no_mark() -> None:
    assert "--plot-unknown" not in trend_svg(trend(point(state=None)))


def test_a_gap_is_a_gap() -> None:
    svg = trend_svg(trend(point("1"), point("2", None, "broken"), point("3", math.nan, "unknown"), point("4")))
    line = next(
        e
        for e in ET.fromstring(svg).iter(f"{SVG}path")
        if "plot-accept" in e.get("stroke", "") and e.get("stroke-width") == "1.6"
    )
    assert (line.get("d") or "").count("M") == 2


def test_numbers_on_the_axis_start_at_the_natural_zero_and_are_round() -> None:
    assert texts(trend_svg(trend(point(value=2.13))))[:3] == ["1.0", "1.5", "2.0"]
    assert texts(trend_svg(trend(point(value=41.0), floor=0.0, ceiling=None)))[:3] == ["0", "20", "40"]


@pytest.mark.parametrize("value", [1.0, 1.0000001, 1e-9, 4.0, 1e9])
def test_extreme_values_still_draw(value: float) -> None:
    assert texts(trend_svg(trend(point(value=value), ceiling=None)))[0].startswith("1")


def test_names_are_text_never_formulas_or_markup() -> None:
    svg = trend_svg(trend(point("$x^2$"), point("<b>&\x00\u202e"), title="<script>&\x1b", description="a\nb"))
    assert "$x^2$" in texts(svg) and "<b>&\ufffd\ufffd" in texts(svg)
    assert "<script" not in svg


def test_long_revisions_are_shortened_on_the_axis_only() -> None:
    svg = trend_svg(trend(point("0.31.0rc1.dev20261103+g3f2a91c5d")))
    assert "0.31.0rc…f2a91c5d" in texts(svg)


@pytest.mark.parametrize("count", [1, 2, 12, 13, 40, 200])
def test_every_revision_has_its_label_and_room(count: int) -> None:
    svg = trend_svg(trend(*(point(f"0.{n}.0") for n in range(count))))
    width = float(ET.fromstring(svg).get("width") or 0)
    assert len([t for t in texts(svg) if t.endswith(".0") and t.count(".") == 2]) == count
    assert width / count >= 30 or count <= 12


def test_a_bar_is_as_high_as_its_share_and_one_that_is_unknown_is_not_there() -> None:
    root = ET.fromstring(positions_svg(Positions("p", "T", "D", (1.0, 0.5, 0.0, math.nan, 1.7))))
    heights = [float(bar.attrib["height"]) for bar in root.iter(f"{SVG}rect")]
    assert heights == [heights[0], pytest.approx(heights[0] / 2, abs=0.01), heights[0]]
    lines = sorted(float(line.attrib["y1"]) for line in root.iter(f"{SVG}line"))
    assert lines[2] - lines[0] == pytest.approx(heights[0], abs=0.01)


def test_bars_carry_their_share_and_unknown_is_a_question_mark() -> None:
    found = texts(positions_svg(Positions("p", "T", "D", (0.62, 0.0, math.nan))))
    assert "62 %" in found and "0 %" in found and "?" in found


def test_drawable() -> None:
    assert drawable([point(), point(value=None)])
    assert not drawable([point(value=None), point(value=math.nan)])
    assert not drawable([])


def test_values_of_good_and_bad_runs_are_told_apart_by_place_and_count() -> None:
    svg = values_svg(Values("v", "Title", "Words", "accept length", (2.1, 2.1, 2.2), (1.0,)))
    shown = texts(svg)
    assert "good (3)" in shown and "bad (1)" in shown and "accept length" in shown


@pytest.mark.parametrize(("good", "bad"), [((1.0,), ()), ((), (0.0,)), ((2.0,) * 50, (2.0,)), ((1e6,), (1e-6,))])
def test_any_values_can_be_drawn(good: tuple[float, ...], bad: tuple[float, ...]) -> None:
    assert ET.fromstring(values_svg(Values("v", "t", "d", "u", good, bad))).tag == f"{SVG}svg"


def test_a_narrow_trend_fits_a_telephone_with_all_its_labels() -> None:
    few = [point(f"0.{n}.0") for n in range(12)]
    wide, narrow = (ET.fromstring(trend_svg(trend(*few, narrow=narrow))) for narrow in (False, True))
    assert float(wide.attrib["width"]) > 390 > float(narrow.attrib["width"])
    assert float(wide.attrib["height"]) == float(narrow.attrib["height"]), "not scaled, drawn anew"
    assert [f"0.{n}.0" for n in range(12)] == [
        t for t in texts(trend_svg(trend(*few, narrow=True))) if t.count(".") == 2
    ]
