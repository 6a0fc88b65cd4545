"""In a real browser: acknowledging with the keyboard alone, and what another page cannot do through it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, expect

from matrix.app.regression import AckView
from matrix.core.ack import Ack
from tests.web import build
from tests.web.reader import DictReader
from tests.web.serve import serving
from tests.web.test_browser_pages import tab_to
from tests.web.test_regressions import regression
from tests.web.watch import Watched, watching
from tests.web.writers import TOKEN, ListWriter

pytestmark = pytest.mark.chromium


@dataclass
class Shown(ListWriter):
    """What it writes is read at once."""

    reader: DictReader = field(default_factory=lambda: DictReader(flips=[regression()]))

    def acknowledge(self, flip_id: int, /, reason: str, scope: str, until: str) -> list[Ack]:
        found = super().acknowledge(flip_id, reason, scope, until)
        self.reader.flips = [regression(ack=AckView(4, scope, reason, None, build.NOW))]
        return found

    def end_acknowledgement(self, ack_id: int, /) -> None:
        super().end_acknowledgement(ack_id)
        self.reader.flips = [regression()]


@pytest.fixture
def writer() -> Shown:
    return Shown()


@pytest.fixture
def url(writer: Shown) -> Iterator[str]:
    with serving(writer.reader, poll_s=600, writer=writer) as address:
        yield address


@contextmanager
def elsewhere(html: str) -> Iterator[str]:
    """A page on another port of this machine: another origin, yet the same site, so that cookies are sent along."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def log_in(page: Page, url: str) -> None:
    page.goto(f"{url}/regressions/1")
    page.get_by_role("link", name="Log in", exact=True).click()
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/regressions/1")


def looked_at(seen: Watched) -> None:
    for width, scheme in ((1280, "light"), (390, "dark")):
        seen.look(width, scheme)
        assert seen.layout_faults() == [], (width, scheme)
    assert seen.axe_faults() == []


def test_a_regression_is_acknowledged_and_counts_again_by_the_keyboard_alone(
    browser: Browser, url: str, writer: Shown
) -> None:
    with watching(browser) as seen:
        page = seen.page
        log_in(page, url)
        looked_at(seen)
        tab_to(page, "e.name === 'reason'")
        page.keyboard.type("known upstream")
        tab_to(page, "e.name === 'scope'")
        page.keyboard.type("all")
        tab_to(page, "e.textContent === 'Acknowledge'")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Acknowledged")).to_be_visible()
        looked_at(seen)
        tab_to(page, "e.textContent === 'End acknowledgement 4'")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Reason")).to_be_visible()
        assert writer.written == [("acknowledge", 1, "known upstream", "group", "30d"), ("end", 4)]
        page.get_by_role("link", name="Log in or out").click()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("Token")).to_be_visible()
        looked_at(seen)
        page.goto(f"{url}/regressions/1")
        expect(page.get_by_label("Reason")).to_have_count(0)
        assert seen.complaints == []


def test_a_form_of_another_port_of_this_machine_is_refused_though_its_cookie_comes_along(
    browser: Browser, url: str, writer: Shown
) -> None:
    with watching(browser) as seen:
        page = seen.page
        log_in(page, url)
        known = page.locator("input[name=form_token]").first.input_value()
        form = f'<form method="post" action="{url}/regressions/1/acknowledge"><input name="reason" value="x">'
        form += f'<input name="form_token" value="{known}"><button>send</button></form>'
        with elsewhere(form) as other:
            page.goto(other)
            with page.expect_response("**/acknowledge") as answer:
                page.get_by_role("button").click()
        assert "matrix-session" in answer.value.request.all_headers()["cookie"]
        assert answer.value.status == 403
        expect(page.locator("main")).to_contain_text("does not come from one of this dashboard's pages")
        assert writer.written == []


def test_no_other_page_frames_it_and_no_script_of_a_page_runs(browser: Browser, url: str) -> None:
    with watching(browser) as seen:
        page = seen.page
        with (
            elsewhere(f'<iframe src="{url}/regressions/1"></iframe>') as other,
            page.expect_response(f"{url}/regressions/1"),
        ):
            page.goto(other)
        # Chromium shows a page of its own in place of what may not be framed, and says why.
        assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
        assert any("frame-ancestors 'none'" in text for text in seen.complaints), seen.complaints
        for path in ("/", "/login", "/regressions/1", "/missing", "/api/overview"):
            answer = page.goto(url + path)
            assert answer
            headers = answer.all_headers()
            policy = headers["content-security-policy"]
            assert "'unsafe-inline'" not in policy and "'unsafe-eval'" not in policy
            assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "same-origin")
        page.goto(url)
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.pwned = 1";
                document.body.append(script);
                document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.pwned = 2'>");
            }"""
        )
        page.wait_for_function("() => [...document.images].every((image) => image.complete)")
        assert page.evaluate("window.pwned") is None
        assert any("inline" in text for text in seen.complaints)
