"""Every page over one real store in a real browser: all that a crawl from the first page finds, one of each kind."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect

from matrix.app import disk
from matrix.store import open_store
from tests.web import build
from tests.web.histories import LONG, fill
from tests.web.page import parse
from tests.web.serve import serving
from tests.web.watch import watching
from web import create_app
from web.store_reader import StoreReader
from web.store_writer import StoreWriter

pytestmark = pytest.mark.chromium

KINDS = {
    "overview": r"/", "filtered": r"/\?engine=sglang&state=collapsed", "since": r"/\?since=2020-01-01", "answer": r"/compat",
    "answered": r"/compat\?model=Qwen2.5-VL-7B", "regressions": r"/regressions", "all": r"/regressions\?standing=false",
    "regression": r"/regressions/\d+", "login": r"/login",
    "compare": r"/compare", "compared": r"/compare\?a=0.5.4&b=0.5.5.post3", "pair": r"/compare\?a=0.5.5.post3&b=0.5.6&where=.*",
    "engines": r"/engines", "engine": r"/engines/sglang", "broke": r"/engines/sglang/0.5.5.post3", "release": r"/engines/sglang/0.5.6",
    "drafts": r"/drafts", "draft": r"/drafts/qwen-eagle3", "hostile draft": r"/drafts/draft.*", "series": r"/series/[0-9a-f]+",
    "run": r"/runs/[^/]*-0.5.4-0-[^/]*", "crash": r"/runs/crash-0.5.6", "sweep": r"/sweeps/\d+", "bisections": r"/bisections",
    "bisection": r"/bisections/\d+", "status": r"/status", "missing": r"/runs/nope",
}  # fmt: skip
"""A page of each kind by its address; the first that the crawl finds stands for all."""

_LIKE_ANOTHER = {"filtered", "all", "pair", "engine", "release", "hostile draft", "missing"}
"""Pages of a template that another kind has shown to be accessible."""
_ASKED = [
    "/?engine=sglang&state=collapsed",
    "/?since=2020-01-01",
    "/compat?model=Qwen2.5-VL-7B",
    "/compare",
    "/runs/nope",
]
_ASKED += ["/compare?a=0.5.4&b=0.5.5.post3"]


@dataclass(frozen=True)
class Site:
    url: str
    pages: dict[str, str]
    """By kind, addresses that the crawl found."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATRIX_HOME", str(folder / "home"))
        patch.setenv("MATRIX_CACHE", str(folder / "cache"))
        patch.setattr(disk, "image_use", lambda: None)
        store = open_store(f"sqlite:///{folder}/matrix.db")
        fill(store, folder, build.NOW)
        reader, writer = StoreReader(store), StoreWriter(store)
        with serving(reader, poll_s=600, writer=writer) as url:
            yield Site(url, _pages(TestClient(create_app(reader, writer=writer), raise_server_exceptions=True)))
        store.close()


def _pages(client: TestClient) -> dict[str, str]:
    """Follows every link from the first page; each page must be there, and none may be of a kind that is not listed."""
    waiting, seen = ["/", *_ASKED], dict.fromkeys(["/", *_ASKED])
    while waiting:
        address = waiting.pop()
        answer = client.get(address)
        assert answer.status_code == (404 if address == "/runs/nope" else 200), address
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        for link in parse(answer.text).all("a"):
            target = link.attrs["href"].partition("#")[0]
            if target.startswith("/") and target not in seen:
                seen[target] = None
                waiting.append(target)
    found = {kind: next((a for a in seen if re.fullmatch(rule, unquote(a))), "") for kind, rule in KINDS.items()}
    assert all(found.values()), found
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_fits_is_accessible_and_asks_nothing_of_others(browser: Browser, site: Site, kind: str) -> None:
    with watching(browser) as seen:
        seen.page.goto(site.url + site.pages[kind])
        for width, scheme in ((1280, "light"), (390, "dark")):
            seen.look(width, scheme)
            assert seen.layout_faults() == [], (width, "as it comes")
            seen.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            assert seen.layout_faults() == [], (width, "with all details open")
        assert kind in _LIKE_ANOTHER or seen.axe_faults() == []
        assert seen.page.evaluate("window.pwned") is None
        assert [c for c in seen.complaints if kind != "missing" or "404" not in c] == []


@pytest.mark.parametrize("kind", ["run", "crash", "hostile draft", "overview", "status"])
def test_lines_of_ten_megabytes_are_cut_and_hidden_characters_shown(site: Site, kind: str) -> None:
    import httpx

    text = httpx.get(site.url + site.pages[kind]).text
    assert len(text) < 2_000_000 < len(LONG)
    assert not set(text) & {"\x00", "\x1b", "\u202e"}


@pytest.mark.parametrize("kind", ["crash", "regression", "broke", "bisection"])
def test_every_copy_button_copies_its_text(browser: Browser, site: Site, kind: str) -> None:
    with watching(browser, permissions=["clipboard-read", "clipboard-write"]) as seen:
        seen.page.goto(site.url + site.pages[kind])
        seen.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        buttons = seen.page.locator("button[data-copy]")
        assert buttons.count() or kind == "bisection"
        for button in buttons.all()[:4]:
            button.click()
            expect(button).to_have_text("Copied")
            source = seen.page.locator(f"#{button.get_attribute('data-copy')}").text_content()
            assert seen.page.evaluate("navigator.clipboard.readText()") == source
        assert seen.complaints == []


def tab_to(page: Page, script: str) -> None:
    """Tab until `script` is true of the focused element; a page that hides it from the keyboard fails."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(f"((e) => {script})(document.activeElement)"):
            return
    pytest.fail(f"the keyboard does not reach {script}")


def test_filtering_and_comparing_by_the_keyboard_alone(browser: Browser, site: Site) -> None:
    with watching(browser) as seen:
        seen.page.goto(site.url + "/")
        tab_to(seen.page, "e.textContent === 'Filter and group'")
        seen.page.keyboard.press("Enter")
        tab_to(seen.page, "e.name === 'state'")
        seen.page.keyboard.type("coll")
        tab_to(seen.page, "e.textContent === 'Show'")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**state=collapsed*")
        tab_to(seen.page, "e.textContent === 'Compare'")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/compare*")
        for name, value in (("a", "0.5.4"), ("b", "0.5.6")):
            tab_to(seen.page, f"e.name === '{name}'")
            seen.page.keyboard.press("Control+A")
            seen.page.keyboard.type(value)
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/compare?a=0.5.4&b=0.5.6*")
        assert seen.complaints == []


def test_the_form_works_without_scripts_and_its_address_is_the_permalink(browser: Browser, site: Site) -> None:
    with watching(browser, java_script_enabled=False) as seen:
        seen.page.goto(site.url + "/")
        seen.page.locator(".filters summary").click()
        seen.page.get_by_label("State").select_option("collapsed")
        seen.page.get_by_role("button", name="Show").click()
        expect(seen.page.locator("table.heatmap tr:not(.group) th[scope=row]")).to_have_count(1)
        again = seen.page.url
        seen.page.goto(again)
        expect(seen.page.get_by_label("State")).to_have_value("collapsed")
        expect(seen.page.locator("#visit")).to_be_hidden()


def test_the_last_visit_makes_a_link_to_what_changed_since(browser: Browser, site: Site) -> None:
    with watching(browser) as seen:
        seen.page.goto(site.url + "/")
        expect(seen.page.locator("#visit")).to_be_hidden()
        seen.page.evaluate("localStorage.setItem('specmatrix.visits', '0 1000000')")
        seen.page.reload()
        seen.page.locator("#visit a").click()
        seen.page.wait_for_url("**/?since=1000000")
        expect(seen.page.locator("#changes")).to_contain_text("Changed since 1970-01-12")
        assert seen.complaints == []


@pytest.mark.parametrize("kind", ["bisection", "sweep", "broke", "compared", "bisections", "status"])
def test_on_a_telephone_no_table_scrolls_sideways(browser: Browser, site: Site, kind: str) -> None:
    with watching(browser) as seen:
        seen.look(390, "light")
        seen.page.goto(site.url + site.pages[kind])
        wide = "[...document.querySelectorAll('.wide:has(table)')].map((e) => e.scrollWidth - e.clientWidth)"
        assert all(excess <= 1 for excess in seen.page.evaluate(wide))
