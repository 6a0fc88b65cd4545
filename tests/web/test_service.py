"""Headers, static files and error pages."""

import re

import pytest
from fastapi.testclient import TestClient

from matrix.core.errors import InfraError
from matrix.store.narrow import EVERYTHING, Narrow
from matrix.store.views import Overview
from tests.web.conftest import client_of
from tests.web.page import parse
from tests.web.reader import DictReader

PAGES = ["/", "/regressions", "/series/5e1e000000000001", "/runs/r-0001", "/sweeps/3", "/nope"]
PAGES += ["/compat", "/compare", "/engines", "/drafts", "/status", "/bisections", "/bisections/1", "/?since=2020-01-01"]


@pytest.mark.parametrize("path", [*PAGES, "/api/overview", "/static/app.css", "/healthz"])
def test_every_answer_carries_the_policy(client: TestClient, path: str) -> None:
    policy = client.get(path).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("path", PAGES)
def test_pages_obey_their_own_policy(client: TestClient, path: str) -> None:
    page = parse(client.get(path).text)
    assert not page.all("style")
    assert all("style" not in node.attrs for node in page.walk())
    assert all(script.attrs.get("src") and not script.children for script in page.all("script"))


@pytest.mark.parametrize("path", PAGES)
def test_nothing_comes_from_elsewhere(client: TestClient, path: str) -> None:
    page = parse(client.get(path).text)
    used = [n.attrs[a] for n in page.walk() for a in ("src", "href", "hx-get", "action") if a in n.attrs]
    assert used and all(re.match(r"[/#](?!/)", address) for address in used)
    assert client.get("/docs").status_code == 404 and client.get("/redoc").status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_landmarks_one_heading_and_unique_ids(client: TestClient, path: str) -> None:
    page = parse(client.get(path).text)
    assert len(page.all("main")) == len(page.all("header")) == len(page.all("footer")) == len(page.all("h1")) == 1
    ids = [n.attrs["id"] for n in page.walk() if "id" in n.attrs]
    assert len(ids) == len(set(ids))
    assert all(th.attrs.get("scope") for th in page.all("th"))
    assert all(table.all("caption") for table in page.all("table"))
    wanted = {n.attrs["data-copy"] for n in page.all("button") if "data-copy" in n.attrs} | {
        n.attrs["href"][1:] for n in page.all("use")
    }
    assert wanted <= set(ids)


def test_static_files_are_kept_by_content_and_revalidated_otherwise(client: TestClient) -> None:
    links = parse(client.get("/").text).one("head").all("link")
    (address,) = [link.attrs["href"] for link in links if link.attrs["rel"] == "stylesheet"]
    named = client.get(address)
    assert "immutable" in named.headers["cache-control"]
    bare = client.get("/static/app.css")
    assert bare.headers["cache-control"] == "no-cache"
    again = client.get("/static/app.css", headers={"if-none-match": bare.headers["etag"]})
    assert again.status_code == 304


def test_vendored_script_keeps_its_licence(client: TestClient) -> None:
    assert "Zero-Clause BSD" in client.get("/static/vendor/LICENSE.htmx").text


@pytest.mark.parametrize("path", ["/nope", "/runs/x", "/series/x", "/static/nope.css", "/runs/a/b/c"])
def test_what_is_not_there_gets_a_page_that_leads_back(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "/" in [a.attrs["href"] for a in parse(answer.text).one("main").all("a")]


class Broken(DictReader):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def overview(self, narrow: Narrow = EVERYTHING, /) -> Overview:
        raise self.error


def test_our_own_mistakes_show_a_page_without_the_traceback() -> None:
    client = client_of(Broken(ValueError("secret detail")))
    answer = client.get("/")
    assert answer.status_code == 500
    assert "matrix status" in answer.text and "secret detail" not in answer.text and "Traceback" not in answer.text
    assert client.get("/api/overview").json()["hint"]
    assert "content-security-policy" in answer.headers


def test_a_database_in_trouble_says_cause_and_next_step() -> None:
    error = InfraError("the database is locked", hint="stop the other writer, then reload")
    answer = client_of(Broken(error)).get("/")
    assert answer.status_code == 503
    assert "the database is locked" in answer.text and "stop the other writer" in answer.text
