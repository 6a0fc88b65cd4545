"""Every page in a real browser: wide and narrow, light and dark."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from matrix.plots import FEW
from tests.web import build, extremes, worlds
from tests.web.reader import DictReader
from tests.web.serve import serving
from tests.web.watch import watching

pytestmark = pytest.mark.chromium

PAGES = ["/", "/regressions", "/series/5e1e000000000001", "/runs/r-0001", "/runs/r-0102", "/sweeps/3"]
PAGES += ["/bisections", "/bisections/1", "/bisections/2", "/bisections/3"]
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(worlds.every_state(), poll_s=600) as address:
        yield address


@pytest.fixture(scope="module")
def hostile_url() -> Iterator[str]:
    with serving(extremes.hostile(), poll_s=600) as address:
        yield address


@pytest.mark.parametrize("path", PAGES)
def test_page_looks_right_and_is_accessible_in_every_look(browser: Browser, url: str, path: str) -> None:
    with watching(browser) as seen:
        seen.page.goto(url + path)
        for width, scheme in LOOKS:
            seen.look(width, scheme)
            assert seen.layout_faults() == [], (width, scheme)
        seen.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for width, scheme in ((390, "dark"), (1280, "light")):
            seen.look(width, scheme)
            assert seen.layout_faults() == [], (width, "with all details open")
            assert seen.axe_faults() == [], (width, scheme)
        assert seen.complaints == []


@pytest.mark.parametrize("path", ["/", "/series/5e1e000000000001", "/runs/r-0001", "/regressions", "/sweeps/3"])
def test_hostile_text_neither_runs_nor_breaks_the_layout(browser: Browser, hostile_url: str, path: str) -> None:
    with watching(browser) as seen:
        seen.page.goto(hostile_url + path)
        for width in (1280, 390):
            seen.look(width, "light")
            assert seen.layout_faults() == [], width
        assert seen.page.evaluate("window.pwned") is None
        assert seen.complaints == []


def test_large_heatmap_scrolls_inside_its_own_box_with_its_first_column_in_place(browser: Browser) -> None:
    with serving(extremes.large(), poll_s=600) as address, watching(browser) as seen:
        seen.look(390, "light")
        seen.page.goto(address + "/")
        box = seen.page.locator(".heat .wide").first
        assert box.evaluate("e => e.scrollWidth > 4 * e.clientWidth && e.scrollLeft > 0"), "starts at the newest"
        head = seen.page.locator(".heatmap tbody th[scope=row]").first
        left = head.bounding_box()
        box.evaluate("e => { e.scrollLeft = 300; }")
        assert left and head.bounding_box() == left
        assert seen.layout_faults() == []


def test_a_trend_of_few_revisions_fits_a_telephone(browser: Browser) -> None:
    points = [build.point(revision=f"0.{minor}.0") for minor in range(FEW)]
    series = build.series(points=points)
    reader = DictReader(all_series={series.series_key: series})
    with serving(reader, poll_s=600) as address, watching(browser) as seen:
        for width in (390, 1280):
            seen.look(width, "light")
            seen.page.goto(f"{address}/series/{series.series_key}")
            box = seen.page.locator("figure .wide").first
            assert box.evaluate("e => e.scrollWidth <= e.clientWidth"), width
            (shown,) = box.locator("svg:visible").all()
            scale = shown.evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width")
            assert scale > 0.8, "its labels stay readable"
            assert seen.layout_faults() == []


def test_error_pages_look_like_the_rest(browser: Browser, url: str) -> None:
    with watching(browser) as seen:
        seen.page.goto(url + "/runs/nope")
        for width, scheme in LOOKS:
            seen.look(width, scheme)
            assert seen.layout_faults() == []
        assert seen.axe_faults() == []
        assert [c for c in seen.complaints if "404" not in c] == []


def test_empty_database_looks_right(browser: Browser) -> None:
    with serving(DictReader()) as address, watching(browser) as seen:
        seen.page.goto(address + "/")
        for width, scheme in LOOKS:
            seen.look(width, scheme)
            assert seen.layout_faults() == []
        assert seen.axe_faults() == []
        assert seen.complaints == []


def test_keyboard_reaches_content_first_and_every_square(browser: Browser, url: str) -> None:
    with watching(browser) as seen:
        seen.page.goto(url + "/")
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.textContent") == "Skip to content"
        assert seen.page.evaluate("document.activeElement.getBoundingClientRect().left >= 0"), "visible once focused"
        seen.page.locator("a.sq").first.focus()
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/runs/r-0001")


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<p style="overflow:hidden;width:30px;white-space:nowrap">a long line of text</p>', "cut off"),
        (
            '<p style="position:absolute;top:9px">one text</p><p style="position:absolute;top:12px">another</p>',
            "overlaps",
        ),
        ('<main><p style="width:3000px">x</p></main>', "too wide"),
        ('<table><tr><td style="max-width:20px;white-space:nowrap">much too long</td></tr></table>', "leaves its box"),
        ("<p>fine</p>", None),
    ],
)
def test_the_layout_check_sees_what_it_is_for(browser: Browser, html: str, fault: str | None) -> None:
    with watching(browser) as seen:
        seen.page.set_content(html)
        found = seen.layout_faults()
        assert found == [] if fault is None else any(fault in text for text in found)


def test_the_accessibility_check_sees_faint_text(browser: Browser) -> None:
    with watching(browser) as seen:
        seen.page.set_content('<main><p style="color:#bbb;background:#fff">faint</p></main>')
        assert any("color-contrast" in text for text in seen.axe_faults())
