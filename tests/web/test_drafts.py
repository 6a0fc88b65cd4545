"""The pages of drafts, over the real store."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from matrix.core.expectation import Bonus, Expectation
from matrix.core.report import Report
from matrix.core.state import State
from matrix.store import Store, open_store
from tests.app.stored import cell, judged, served
from tests.web.page import parse
from web import create_app
from web.store_reader import StoreReader


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A head on a hub, measured on two releases, published and reported about; another that was only reported."""
    opened = open_store(f"sqlite:///{tmp_path_factory.mktemp('drafts')}/matrix.db")
    for n, (version, length) in enumerate((("0.5.4", 2.195), ("0.5.5.post3", 1.02))):
        served(opened, cell(version, draft="org/head"), length, at=1000.0 * (n + 1))
        served(opened, cell(version, draft="other"), 2.0, at=1000.0 * (n + 1) + 1)
    link = "https://example.org/card"
    opened.published.replace({"org/head": [Expectation("org/head", 2.2, Bonus.YES, "MMStar", 4, link)]})
    about = {"target": "org/m", "engine": "sglang", "state": State.COLLAPSED, "link": link, "date": "2025-11-20"}
    opened.reports.add([Report(**about, draft=name, value=1.02) for name in ("else/Head", "unseen")], 0.0)  # type: ignore[arg-type]
    yield judged(opened)
    opened.close()


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    return TestClient(create_app(StoreReader(store)), raise_server_exceptions=False)


def test_a_draft_shows_where_it_works_and_no_other_draft(client: TestClient) -> None:
    shown = parse(client.get("/drafts/org%2Fhead").text)
    squares = [s.text for s in shown.one("table", "heatmap").all("a", "sq")]
    assert squares == ["2.20, healthy", "1.02, collapsed"]
    assert shown.one("h1").text == "org/head" and shown.all("figure")


def test_published_values_are_set_against_the_newest_run_and_reports_stay_apart(client: TestClient) -> None:
    shown = parse(client.get("/drafts/org/head").text)
    assert "2.2 on MMStar, k 4; bonus token counted: yes" in shown.text
    assert "measured 1.02, published 2.2" in shown.one("ul", "published").text
    (report,) = shown.one("ul", "flips").all("li")
    assert "reported" in report.text and "1.020" in report.text, "a hub name in other spelling is the same draft"


def test_a_draft_that_was_only_reported_says_that_it_was_never_run(client: TestClient) -> None:
    text = parse(client.get("/drafts/unseen").text).text
    assert "never run here" in text and "No published value is known" in text


def test_the_list_holds_all_and_the_twins_agree(client: TestClient) -> None:
    names = client.get("/api/v1/drafts").json()
    assert names == ["else/Head", "org/head", "other", "unseen"]
    links = [a.attrs["href"] for a in parse(client.get("/drafts").text).one("ul", "plain").all("a")]
    assert all(client.get(link).status_code == 200 for link in links) and len(links) == 4
    body = client.get("/api/v1/drafts/org/head").json()
    assert body["against"][0]["expectations"] and body["published"][0]["bonus"] == "yes"
    assert client.get("/api/v1/drafts/nope").status_code == client.get("/drafts/nope").status_code == 404
