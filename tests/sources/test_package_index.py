"""Versions from a real HTTP index, a folder index and find-links, and what happens when one does not answer."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError, InfraError
from matrix.core.index import IndexSettings
from matrix.sources import package_index
from matrix.sources.package_index import versions

FILES = [
    "thing-0.9.0-py3-none-any.whl",
    "thing-0.10.0-py3-none-any.whl",
    "thing-0.10.0.tar.gz",
    "thing-0.11.0rc1-py3-none-any.whl",
    "thing-0.2.0.post1.tar.gz",
    "thing-0.12.0-py3.11.egg",
    "thing-nonsense.whl",
    "thing-0.13.0.exe",
]


class Index(ThreadingHTTPServer):
    """Serves FILES as project `thing`, version 0.9.5 withdrawn, in JSON where asked for, else HTML."""

    status = 200
    asked = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/simple"


class Handler(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        self.server.asked += 1
        known = self.path in ("/simple/thing/", "/links")
        self.send_response(self.server.status if known else 404)
        if "json" in self.headers["Accept"] and known:
            kind, body = "application/vnd.pypi.simple.v1+json", self.as_json()
        else:
            kind, body = "text/html", "".join(f'<a href="/files/{name}#sha256=ab">x</a>' for name in FILES)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def as_json(self) -> str:
        files = [{"filename": f, "url": f"/files/{f}", "hashes": {}} for f in FILES]
        withdrawn = {"filename": "thing-0.9.5.tar.gz", "url": "/x", "hashes": {}, "yanked": "broken"}
        return json.dumps({"meta": {"api-version": "1.0"}, "name": "thing", "files": [*files, withdrawn]})

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[Index]:
    server = Index()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_sorted_by_version_without_withdrawn_pre_releases_or_unusable_files(index: Index) -> None:
    settings = IndexSettings(index_url=index.url)
    assert versions("thing", settings) == ["0.2.0.post1", "0.9.0", "0.10.0"]
    assert versions("Thing", settings, prereleases=True)[-1] == "0.11.0rc1"


def test_all_places_are_merged(index: Index, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "thing-1.0-py3-none-any.whl").touch()
    (tmp_path / "links" / "other-7.0-py3-none-any.whl").touch()
    page = tmp_path / "simple" / "thing" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text('<a href="thing-2.0.tar.gz">thing-2.0.tar.gz</a><a data-yanked href="t">thing-3.0.tar.gz</a>')
    settings = IndexSettings(
        index_url=index.url,
        extra_index_urls=((tmp_path / "simple").as_uri(),),
        find_links=(str(tmp_path / "links"), index.url.replace("simple", "links")),
    )
    assert versions("thing", settings) == ["0.2.0.post1", "0.9.0", "0.10.0", "1.0", "2.0"]
    assert versions("other", settings) == ["7.0"], "an index that lacks the project does not hide another place"
    assert versions("thing", IndexSettings(no_index=True, find_links=settings.find_links[:1])) == ["1.0"]


def test_unknown_project_is_the_user_s_mistake(index: Index) -> None:
    with pytest.raises(ConfigError, match="no index knows thung") as caught:
        versions("thung", IndexSettings(index_url=index.url))
    assert index.url in str(caught.value)


def test_index_that_fails_is_infra_and_names_what_was_asked_without_credentials(index: Index) -> None:
    index.status = 503
    with pytest.raises(InfraError, match="HTTP 503"):
        versions("thing", IndexSettings(index_url=index.url))
    settings = IndexSettings(index_url=index.url, extra_index_urls=("http://me:hunter2@127.0.0.1:9/simple",))
    index.status = 200
    with pytest.raises(InfraError, match="not reachable") as caught:
        versions("thing", settings)
    assert "hunter2" not in str(caught.value)
    assert index.url in str(caught.value)
    with pytest.raises(InfraError, match="no such folder"):
        versions("thing", IndexSettings(index_url="file:///nowhere/simple"))


def test_page_that_is_no_index_is_infra() -> None:
    class Garbage(Handler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/vnd.pypi.simple.v1+json")
            self.end_headers()
            self.wfile.write(b"{not json")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Garbage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(InfraError):
            versions("thing", IndexSettings(index_url=f"http://127.0.0.1:{server.server_address[1]}/simple"))
    finally:
        server.shutdown()
        server.server_close()


def test_answers_are_kept_for_a_while(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = IndexSettings(index_url=index.url)
    first = versions("thing", settings, cache_dir=tmp_path)
    assert index.asked == 1
    assert versions("thing", settings, cache_dir=tmp_path) == first
    assert index.asked == 1
    assert versions("thing", settings, prereleases=True, cache_dir=tmp_path) != first
    assert index.asked == 2
    later = time.time() + package_index.KEPT_S + 1
    monkeypatch.setattr(package_index.time, "time", lambda: later)
    versions("thing", settings, cache_dir=tmp_path)
    assert index.asked == 3
    for note in (tmp_path / "versions").iterdir():
        note.write_text("torn")
    assert versions("thing", settings, cache_dir=tmp_path) == first


def test_it_is_said_when_the_index_is_asked_and_not_when_the_answer_is_kept(index: Index, tmp_path: Path) -> None:
    said: list[str] = []
    for _ in range(2):
        versions("thing", IndexSettings(index_url=index.url), cache_dir=tmp_path, say=said.append)
    assert said == ["asking the package index for thing..."]
