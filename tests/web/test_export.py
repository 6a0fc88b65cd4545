"""The static site: served by any web server it says what the dashboard says, and no link in it is dead."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import feedparser
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from matrix.app.judging import judge_all
from matrix.core.errors import ConfigError, InfraError
from matrix.core.outcome import Outcome
from matrix.store import Store, open_store
from tests.store.build import baseline_run, cell, run, sample
from tests.web.page import parse
from web import create_app
from web.export import MARK, write_site
from web.export_links import page, place_of
from web.store_reader import StoreReader

PROMPTS = [f"code-{n}" for n in range(4)]
SERIES = cell().series_key


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("store")
    opened = open_store(f"sqlite:///{folder}/matrix.db")
    log = folder / "server.log"
    log.write_text("INFO starting\nKeyError: 't2d'\n")
    ref, size = opened.logs.keep(log)
    samples = [sample(p, steps=40, accepted=50, tokens=91) for p in PROMPTS]
    opened.runs.save(baseline_run("base-1", "0.27.1", at=900.0))
    opened.runs.save(run("good-1", cell("0.27.1"), *samples, at=1000.0), log_ref=ref, log_bytes=size)
    opened.runs.save(run("bad-1", cell("0.32.0"), outcome=Outcome.LOAD_CRASH, at=2000.0), log_ref=ref, log_bytes=size)
    opened.sweeps.create({}, "", owner="me", tool_version="0.1.0")
    judge_all(opened)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "public"
    told = write_site(store, folder)
    assert told.files == told.written == len([path for path in folder.rglob("*") if path.is_file()]) - 1
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_every_link_is_relative_and_leads_to_a_file(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert {p.name for p in pages} >= {"index.html", "good-1.html", "bad-1.html", f"{SERIES}.html", "status.html"}
    for path in pages:
        for node in parse(path.read_text()).walk():
            link = node.attrs.get("href") or node.attrs.get("src") or "#"
            parts = urlsplit(link)
            if parts.scheme or not parts.path:
                continue
            assert not link.startswith("/"), f"{path.name}: {link}"
            assert (path.parent / unquote(parts.path)).resolve().is_file(), f"{path.name}: {link}"


def test_nothing_in_it_asks_a_service(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text()
        assert "hx-" not in text and "<form" not in text and "htmx.min.js" not in text, path.name


def test_it_holds_what_the_service_says(store: Store, site: Path) -> None:
    client = TestClient(create_app(StoreReader(store)))
    assert json.loads((site / "api/matrix.json").read_text()) == client.get("/api/matrix.json").json()
    assert (site / "results.csv").read_bytes() == client.get("/results.csv").content
    assert "KeyError" in (site / "runs/bad-1/log.txt").read_text()
    assert "<svg" in (site / f"series/{SERIES}.html").read_text(), "plots stand in the page"
    (item,) = parse((site / "index.html").read_text()).one(id_="regressions").all("li", "flip")
    assert "regression" in item.text
    (entry,) = [e for e in feedparser.parse((site / "feed.atom").read_bytes()).entries if "regression" in e.title]
    assert entry.link == f"series/{SERIES}.html"


def test_a_second_time_only_what_changed_is_new(store: Store, site: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()}
    (site / "stale.html").write_text("of a run that is gone")
    (site / "index.html").write_text("changed")
    told = write_site(store, site)
    changed = {str(path.relative_to(site)) for path, moment in before.items() if path.stat().st_mtime_ns != moment}
    # The page of the service itself tells of the room on disk.
    assert changed - {"status.html", "api/v1/status.json"} == {"index.html", MARK}
    assert told.written == len(changed) - 1 and not (site / "stale.html").exists()
    assert names(site.parent) == [site.name], "nothing is left beside it"


def test_a_folder_of_something_else_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    (tmp_path / "file").write_text("x")
    for folder, cause in (("mine", "not empty"), ("file", "is a file"), ("no/where", "folder does not exist")):
        with pytest.raises(ConfigError, match=cause):
            write_site(store, tmp_path / folder)
    assert names(tmp_path / "mine") == ["thesis.txt"] and len(names(tmp_path)) == 2


def test_a_failed_copy_leaves_the_old_one(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / MARK).write_text("{}")
    (folder / "index.html").write_text("the old one")

    def failing(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("web.export.page", failing)
    with pytest.raises(InfraError, match="No space"):
        write_site(store, folder)
    assert (folder / "index.html").read_text() == "the old one" and names(tmp_path) == ["public"]


@pytest.mark.parametrize(
    "address",
    [
        "/drafts/..%2F..%2Fetc%2Fpasswd",
        "/drafts/../../x",
        "/drafts/.htaccess",
        "/runs/" + "x" * 400,
        "/drafts/a%00b",
        "/runs/é",
    ],
)
def test_names_stay_inside_the_folder(address: str) -> None:
    place = place_of(address)
    assert place is not None
    parts = place.file.split("/")
    assert all(part and not part.startswith(".") and len(part) < 140 and part.isascii() for part in parts)


def test_different_addresses_are_different_files() -> None:
    addresses = ["/drafts/a%2Fb", "/drafts/a=2Fb", "/drafts/a/b", "/compare?a=1&b=2", "/compare?a=2&b=1", "/compare", "/api/v1/drafts/x.svg", "/drafts/x.svg"]  # fmt: skip
    places = [place_of(address) for address in addresses]
    assert len({place.file for place in places if place}) == len(addresses)


def test_links_to_other_hosts_stay() -> None:
    text = '<a href="https://example.org/x">x</a> <a href="//other/x">y</a> <a href="#main">z</a>'
    assert page(text, "runs/a.html", lambda _: None) == text


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.chromium
def test_a_browser_finds_nothing_missing(site: Path, browser: Browser) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found: list[str] = []
    shown = browser.new_page()
    shown.on("console", lambda message: found.append(message.text))
    shown.on("pageerror", lambda error: found.append(str(error)))
    shown.on("response", lambda answer: found.append(answer.url) if answer.status >= 400 else None)
    for name in ("index.html", f"series/{SERIES}.html", "runs/bad-1.html", "regressions.html"):
        shown.goto(f"http://127.0.0.1:{server.server_port}/{name}")
        shown.wait_for_load_state("networkidle")
    shown.get_by_role("link", name="Overview").first.click()
    assert shown.url.endswith("/index.html") and found == []
    shown.close()
    server.shutdown()
    server.server_close()
