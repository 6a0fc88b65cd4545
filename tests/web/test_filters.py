"""Filters, grouping and "what changed since" on the first page; the address says all of it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from matrix.core.errors import ConfigError
from matrix.core.outcome import Outcome
from matrix.store import Store, open_store
from tests.app.stored import cell, ended, judged, served
from tests.web import worlds
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from web import create_app
from web.filters import moment, view_from
from web.store_reader import StoreReader


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """SGLang: a collapse; vLLM: a crash and a healthy series."""
    opened = open_store(f"sqlite:///{tmp_path_factory.mktemp('filters')}/matrix.db")
    for n, (version, length) in enumerate((("0.5.4", 2.195), ("0.5.5.post3", 1.02))):
        served(opened, cell(version), length, at=1000.0 * (n + 1))
    for version, outcome in (("0.27.1", None), ("0.32.0", Outcome.LOAD_CRASH)):
        crashing = cell(version, engine="vllm", target="tiny", draft="head")
        if outcome:
            ended(opened, crashing, outcome, at=3000.0)
        else:
            served(opened, crashing, 2.0, at=2500.0)
        served(opened, cell(version, engine="vllm", target="other", draft="fine"), 2.0, at=2600.0)
    yield judged(opened)
    opened.close()


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    return TestClient(create_app(StoreReader(store)), raise_server_exceptions=False)


def page(client: TestClient, query: str = "") -> Node:
    answer = client.get(f"/?{query}")
    assert answer.status_code == 200
    return parse(answer.text)


def targets(shown: Node) -> list[str]:
    return [th.text for th in shown.all("th") if th.attrs.get("scope") == "rowgroup"]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("", ["Qwen2.5-VL-7B", "other", "tiny"]),
        ("engine=vllm", ["other", "tiny"]),
        ("target=tiny", ["tiny"]),
        ("draft=fine", ["other"]),
        ("state=broken", ["tiny"]),
        ("state=collapsed", ["Qwen2.5-VL-7B"]),
        ("engine=sglang&target=tiny", []),
        ("workload=standard&method=eagle3&engine=vllm&state=healthy", ["other", "tiny"]),
    ],
)
def test_a_filter_leaves_what_fits(client: TestClient, query: str, left: list[str]) -> None:
    shown = page(client, query)
    assert targets(shown) == left
    assert ("No series fits" in shown.text) == (not left)


def test_regressions_follow_the_filter(client: TestClient) -> None:
    assert len(page(client).one(id_="regressions").all("li", "flip")) > 1
    (flip,) = page(client, "target=tiny").one(id_="regressions").all("li", "flip")
    assert "tiny" in flip.text


def test_the_form_says_what_was_asked_and_offers_what_there_is(client: TestClient) -> None:
    shown = page(client, "engine=vllm&state=broken&group=draft")
    selects = {s.attrs["name"]: s for s in shown.one("form", "asked").all("select")}
    chosen = {name: [o.attrs["value"] for o in s.all("option") if "selected" in o.attrs] for name, s in selects.items()}
    assert chosen["engine"] == ["vllm"] and chosen["state"] == ["broken"] and chosen["group"] == ["draft"]
    assert [o.attrs["value"] for o in selects["draft"].all("option")] == ["", "fine", "head", "qwen-eagle3"]
    assert "open" in shown.one("details", "filters").attrs
    assert "open" not in page(client).one("details", "filters").attrs


def test_rows_are_grouped_by_what_was_asked(client: TestClient) -> None:
    shown = page(client, "group=draft&engine=vllm")
    assert targets(shown) == ["fine", "head"]
    assert [small.text.split(" · ")[0] for small in shown.one("table", "heatmap").all("small")] == ["other", "tiny"]


def test_what_changed_since_a_moment_is_told_in_the_fixed_words(client: TestClient, store: Store) -> None:
    everything = page(client, "since=2020-01-01").one(id_="changes")
    words = {span.text for span in everything.all("span", "word")}
    assert words == {"regression"} and "regression" in everything.one("ul", "tally").text
    assert "No state changed" in page(client, "since=2100-01-01").one(id_="changes").text
    assert [n for n in page(client).walk() if n.attrs.get("id") == "changes"] == []
    of_one = page(client, "since=2020-01-01&target=tiny").one(id_="changes")
    assert len(of_one.all("li", "flip")) == 1


@pytest.mark.parametrize("query", ["state=nonsense", "group=colour", "since=yesterday", "since=1e999"])
def test_what_cannot_be_asked_is_said_with_what_can(client: TestClient, query: str) -> None:
    answer = client.get(f"/?{query}")
    assert answer.status_code == 422
    assert any(words in answer.text for words in ("known:", "for example since=2026-11-30"))


def test_a_moment_is_a_day_a_time_or_seconds() -> None:
    assert moment("") is None
    assert moment("2026-11-30") == 1_795_996_800.0
    assert moment("1796000000") == 1_796_000_000.0
    assert moment("2026-11-30T00:00:00+00:00") == moment("2026-11-30")
    with pytest.raises(ConfigError, match="no moment"):
        moment("soon")


def test_the_address_leaves_out_what_is_usual() -> None:
    assert view_from(engine=" vllm ", group="target").query == "engine=vllm"
    assert view_from(group="draft", since="2026-11-30").query == "group=draft&since=2026-11-30"
    assert view_from().query == "" and not view_from().filtered


def test_live_updates_keep_the_filter() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    live = parse(client.get("/?engine=vllm&state=broken").text).one(id_="live").attrs["hx-get"]
    assert live.endswith("&engine=vllm&state=broken")
    client.get(live)
    assert [(n.engine, n.state) for n in reader.asked] == [("vllm", "broken")] * 2


def test_rows_and_revisions_that_are_left_out_are_counted() -> None:
    reader = worlds.every_state()
    heatmap = replace(reader.seen.heatmaps[0], total=len(reader.seen.heatmaps[0].rows) + 7, older=12)
    reader.seen = replace(reader.seen, heatmaps=[heatmap])
    text = parse(client_of(reader).get("/").text).text
    assert "7 more series" in text and "12 older revisions" in text


def test_hostile_filters_stay_text(client: TestClient) -> None:
    text = client.get("/", params={"target": "<script>alert(1)</script>", "draft": '"><b>'}).text
    assert "<script>alert" not in text and "<b>" not in text
