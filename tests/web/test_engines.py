"""The pages of engines and of one revision, over the real store."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from matrix.core.outcome import Outcome
from matrix.store import Store, open_store
from tests.app.stored import cell, ended, judged, served
from tests.web.page import Node, parse
from web import create_app
from web.store_reader import StoreReader

QWEN = "Qwen2.5-VL-7B"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One target that collapses in 0.5.5.post3 and recovers; another that crashes in 0.5.6."""
    opened = open_store(f"sqlite:///{tmp_path_factory.mktemp('engines')}/matrix.db")
    for n, (version, length) in enumerate((("0.5.4", 2.195), ("0.5.5.post3", 1.02), ("0.5.6", 2.2))):
        served(opened, cell(version), length, at=1000.0 * (n + 1))
        other = cell(version, target="other", draft="org/head")
        if n < 2:
            served(opened, other, 2.1, at=1000.0 * (n + 1) + 1)
        else:
            ended(opened, other, Outcome.LOAD_CRASH, at=1000.0 * (n + 1) + 1)
    yield judged(opened)
    opened.close()


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    return TestClient(create_app(StoreReader(store)), raise_server_exceptions=False)


def page(client: TestClient, revision: str) -> Node:
    return parse(client.get(f"/engines/sglang/{revision}").text)


def sections(shown: Node) -> list[str]:
    return [h2.text for h2 in shown.all("h2")]


def test_a_revision_tells_what_it_broke_and_what_the_next_one_changed(client: TestClient) -> None:
    shown = page(client, "0.5.5.post3")
    assert sections(shown)[0].startswith("Broke here") and any(
        s.startswith("Changed in the next") for s in sections(shown)
    )
    steps = [(a.attrs["href"], a.text) for a in shown.one("nav", "steps").all("a")]
    assert [text for _, text in steps] == ["← 0.5.4", "0.5.6 →", "Compare with 0.5.4"]
    assert client.get(steps[2][0]).status_code == 200
    assert any(s.startswith("Repaired here") for s in sections(page(client, "0.5.6")))


def test_its_cells_their_states_and_their_figures_are_there(client: TestClient) -> None:
    rows = page(client, "0.5.5.post3").one("table", "cards").one("tbody").all("tr")
    assert [row.children[1].text for row in rows if isinstance(row.children[1], Node)] == [QWEN, "other"]
    assert "collapsed" in rows[0].text and "1.02" in rows[0].text
    assert "/drafts/org%2Fhead" in [a.attrs["href"] for a in rows[1].all("a")]


def test_what_the_source_tells_of_it_is_there_with_links(client: TestClient) -> None:
    shown = page(client, "0.5.5.post3")
    assert "Qwen2_5_VLForConditionalGeneration" in shown.text and "Published 2025-11-17" in shown.text
    assert any(a.attrs["href"].startswith("https://github.com/sgl-project/sglang") for a in shown.all("a"))


def test_the_ends_have_one_neighbour_and_what_was_never_run_is_a_404(client: TestClient) -> None:
    assert client.get("/api/v1/engines/sglang/0.5.4").json()["previous"] is None
    assert client.get("/api/v1/engines/sglang/0.5.6").json()["next"] is None
    missing = client.get("/api/v1/engines/sglang/9.9")
    assert missing.status_code == 404 and "0.5.6" in missing.json()["hint"]
    assert client.get("/engines/nope").status_code == 404
    assert client.get("/engines/vllm/0.5.4").status_code == 404


def test_the_list_of_engines_leads_to_each_revision(client: TestClient) -> None:
    for address in ("/engines", "/engines/sglang"):
        links = [a.attrs["href"] for a in parse(client.get(address).text).one("ul", "names").all("a")]
        assert links == [f"/engines/sglang/{r}" for r in ("0.5.6", "0.5.5.post3", "0.5.4")]
    twin = client.get("/api/v1/engines").json()
    assert twin == [client.get("/api/v1/engines/sglang").json()]
    assert twin[0]["revisions"][0] == ["0.5.6", "2025-12-03"]


def test_the_heatmap_and_each_flip_lead_there(client: TestClient) -> None:
    shown = parse(client.get("/").text)
    assert "/engines/sglang/0.5.6" in [a.attrs["href"] for a in shown.one("table", "heatmap").all("a")]
    (address,) = [a.attrs["href"] for a in shown.one(id_="regressions").all("a") if a.text == "Compare"]
    assert client.get(address).status_code == 200
