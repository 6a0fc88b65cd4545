"""What happens on a page after it has loaded: copying and live updates."""

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from tests.web import build, worlds
from tests.web.reader import DictReader
from tests.web.serve import serving
from tests.web.test_live import changed
from tests.web.watch import watching

pytestmark = pytest.mark.chromium

_LIVE = "/fragments/live"


def finish(reader: DictReader) -> None:
    assert reader.seen.sweep
    reader.seen = replace(reader.seen, sweep=replace(reader.seen.sweep, status="done", done=8, finished_at=build.NOW))


def test_copy_button_copies_the_command(browser: Browser) -> None:
    with (
        serving(worlds.every_state()) as url,
        watching(browser, permissions=["clipboard-read", "clipboard-write"]) as seen,
    ):
        seen.page.goto(url + "/runs/r-0001")
        button = seen.page.locator("button[data-copy=reproduce]")
        button.click()
        expect(button).to_have_text("Copied")
        assert (
            seen.page.evaluate("navigator.clipboard.readText()")
            == "matrix sweep --force engine=vllm revision=0.27.1 target=tiny-llama spec=eagle3 workload=demo"
        )
        expect(button).to_have_text("Copy")
        assert seen.complaints == []


def test_without_a_clipboard_the_text_is_left_selected(browser: Browser) -> None:
    with serving(worlds.every_state()) as url, watching(browser) as seen:
        seen.page.add_init_script(
            "Object.defineProperty(navigator, 'clipboard', {value: undefined}); document.execCommand = () => false;"
        )
        seen.page.goto(url + "/runs/r-0102")
        seen.page.locator("button[data-copy=bisect]").click()
        expect(seen.page.locator("button[data-copy=bisect]")).to_have_text("Selected: press Ctrl-C")
        selected = seen.page.evaluate("window.getSelection().toString()")
        assert selected == seen.page.locator("#bisect").text_content()


def test_squares_strip_and_regressions_follow_the_sweep_and_polling_ends_with_it(browser: Browser) -> None:
    reader = worlds.every_state()
    with serving(reader, poll_s=0.2) as url, watching(browser) as seen:
        seen.page.goto(url + "/")
        seen.page.locator("#regressions summary").first.click()
        square = seen.page.locator("#sq-5e1e000000000001-9")
        expect(square).to_have_text("probe, running")
        changed(reader, 9, text="2.25", run_id="r-0900")
        expect(square).to_have_text("2.25, healthy")
        assert square.get_attribute("href") == "/runs/r-0900"
        expect(seen.page.locator("#regressions details").first).to_have_attribute("open", "")
        reader.seen = replace(
            reader.seen, regressions=[*reader.seen.regressions, build.flip(flip_id=9, reason="Came while you looked.")]
        )
        expect(seen.page.locator("#regressions")).to_contain_text("Came while you looked.")
        finish(reader)
        expect(seen.page.locator("#live")).to_contain_text("done")
        seen.page.wait_for_timeout(300)
        asked = seen.asked.count(_LIVE)
        seen.page.wait_for_timeout(900)
        assert seen.asked.count(_LIVE) == asked > 0
        assert seen.complaints == []
        assert seen.layout_faults() == []


def test_a_new_column_reloads_the_page(browser: Browser) -> None:
    reader = worlds.every_state()
    with serving(reader, poll_s=0.2) as url, watching(browser) as seen:
        seen.page.goto(url + "/")
        heatmap = reader.seen.heatmaps[0]
        rows = [replace(row, squares=[*row.squares, build.square(text="3.33")]) for row in heatmap.rows]
        reader.seen = replace(
            reader.seen, heatmaps=[replace(heatmap, revisions=[*heatmap.revisions, "0.99.0"], rows=rows)]
        )
        expect(seen.page.get_by_role("columnheader", name="0.99.0")).to_be_visible()
        assert seen.complaints == []


def test_a_silent_server_is_told_and_its_return_clears_it(browser: Browser) -> None:
    with serving(worlds.every_state(), poll_s=0.2) as url, watching(browser) as seen:
        seen.page.goto(url + "/")
        expect(seen.page.locator("#lost")).to_be_hidden()
        seen.page.route("**/fragments/live*", lambda route: route.abort())
        expect(seen.page.locator("#lost")).to_be_visible()
        seen.page.unroute("**/fragments/live*")
        expect(seen.page.locator("#lost")).to_be_hidden()


def test_an_error_while_polling_leaves_the_page_as_it_was(browser: Browser) -> None:
    reader = worlds.every_state()
    with serving(reader, poll_s=0.2) as url, watching(browser) as seen:
        seen.page.goto(url + "/")
        seen.page.route("**/fragments/live*", lambda route: route.fulfill(status=500, body="<h1>oops</h1>"))
        expect(seen.page.locator("#lost")).to_be_visible()
        expect(seen.page.locator("#live")).to_contain_text("5 of 8 cells")


def test_the_sweeps_own_page_follows_it_too(browser: Browser) -> None:
    reader = worlds.every_state()
    with serving(reader, poll_s=0.2) as url, watching(browser) as seen:
        seen.page.goto(url + "/sweeps/3")
        jobs = [*reader.sweeps[3].jobs[:5], build.job(status="claimed", phase="warmup", phase_detail="1 of 1")]
        reader.sweeps[3] = replace(reader.sweeps[3], jobs=jobs)
        expect(seen.page.locator("#sweep table")).to_contain_text("warmup 1 of 1")
        reader.sweeps[3] = replace(reader.sweeps[3], status="done", done=8, finished_at=build.NOW)
        expect(seen.page.locator("#sweep")).to_contain_text("done")
        expect(seen.page.locator("#sweep progress")).to_have_count(0)
        assert seen.complaints == []
