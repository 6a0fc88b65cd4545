"""The pages over the real store and the real judge: a head that loads in one release and crashes in the next."""

import html
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from matrix.app.acks import acks_for
from matrix.app.attribute import regressions
from matrix.app.bisect.points import Point, in_a_row
from matrix.app.bisect.request import Regress, Request
from matrix.app.judging import judge_all
from matrix.core.outcome import Outcome
from matrix.executors import owner
from matrix.store import Store
from tests.store.build import baseline_run, cell, key, run, sample
from tests.web.page import parse
from tests.web.test_api import plain
from web import create_app
from web.serving import _server
from web.store_reader import StoreReader

SERIES = cell().series_key
PROMPTS = [f"code-{n}" for n in range(8)]


@pytest.fixture
def client(store: Store) -> TestClient:
    return TestClient(create_app(StoreReader(store)))


@pytest.fixture
def swept(store: Store, tmp_path: Path) -> Store:
    log = tmp_path / "server.log"
    log.write_text("INFO starting\nKeyError: 't2d'\n")
    ref, size = store.logs.keep(log)
    samples = [sample(p, steps=40, accepted=50, tokens=91) for p in PROMPTS]
    store.runs.save(baseline_run("base-1", "0.27.1", at=900.0))
    store.runs.save(run("good-1", cell("0.27.1"), *samples, at=1000.0), log_ref=ref, log_bytes=size)
    store.runs.save(run("bad-1", cell("0.32.0"), outcome=Outcome.LOAD_CRASH, at=2000.0), log_ref=ref, log_bytes=size)
    judge_all(store)
    return store


def test_the_regression_is_found_on_every_page_it_belongs_to(swept: Store, client: TestClient) -> None:
    item = parse(client.get("/").text).one(id_="regressions").one("li", "flip")
    assert item.one("span", "word").text == "regression"
    links = [a.attrs["href"] for a in item.all("a")]
    assert links[:3] == [f"/series/{SERIES}", "/runs/good-1", "/runs/bad-1"]
    assert client.get(links[3]).status_code == 200, "both runs side by side"
    squares = {s.attrs["href"]: s.text for s in parse(client.get("/").text).one("table", "heatmap").all("a", "sq")}
    assert squares["/runs/bad-1"] == "load-crash, broken"
    assert squares["/runs/good-1"] == "2.25, healthy"
    assert (
        "--good 0.27.1 --bad 0.32.0 --regress works"
        in parse(client.get("/runs/bad-1").text).one("code", id_="bisect").text
    )
    table = parse(client.get(f"/series/{SERIES}").text).one("table", "points")
    assert [th.text for th in table.all("th") if th.attrs.get("scope") == "row"] == ["0.32.0", "0.27.1"]


def test_what_is_served_offers_a_bisection(swept: Store) -> None:
    served = TestClient(_server(swept, None).config.app)
    assert served.get("/api/regressions").json()[0]["next"].startswith("matrix bisect run --engine vllm --good 0.27.1")
    assert "matrix bisect run" in parse(served.get("/regressions").text).one("li", "flip").text
    assert "Bisect this" in served.get("/").text


def test_an_acknowledged_regression_is_marked_on_the_first_page(swept: Store, client: TestClient) -> None:
    known = regressions(swept)
    for ack in acks_for([str(known[0].flip_id)], known, scope=None, reason="known", until=None, now=time.time()):
        swept.acks.add(ack)
    item = parse(client.get("/").text).one(id_="regressions").one("li", "flip")
    assert "UTC, acknowledged" in item.text and item.one("span", "word").classes == {"word"}
    assert [flip["acknowledged"] for flip in client.get("/api/overview").json()["regressions"]] == [True]


def test_pages_and_twins_of_everything_stored_answer(swept: Store, client: TestClient) -> None:
    for page in (
        "/",
        "/regressions",
        f"/series/{SERIES}",
        "/runs/good-1",
        "/runs/bad-1",
        "/runs/base-1",
        "/sweeps/latest",
    ):
        assert client.get(page).status_code == 200, page
    read = swept.read
    assert client.get("/api/overview").json() == plain(asdict(read.overview()))
    assert client.get(f"/api/series/{SERIES}").json() == plain(asdict(read.series(SERIES)))
    assert client.get("/api/runs/good-1").json() == plain(asdict(read.run("good-1")))
    assert client.get("/api/results").json() == [asdict(row) for row in read.results()]


def test_logs_come_from_the_log_folder(swept: Store, client: TestClient) -> None:
    assert client.get("/runs/bad-1/log").text == "INFO starting\nKeyError: 't2d'\n"
    assert client.get("/runs/base-1/log").status_code == 404


def test_what_is_unknown_is_a_404_with_the_stores_own_hint(client: TestClient) -> None:
    for page in ("/runs/nope", "/series/nope", "/sweeps/9"):
        answer = client.get(page)
        assert answer.status_code == 404
        assert client.get(f"/api{page}").json()["hint"] in html.unescape(answer.text)


def test_a_sweep_under_way_shows_on_the_heatmap_and_its_page(swept: Store, client: TestClient) -> None:
    sweep = swept.sweeps.create({}, "", owner="me", tool_version="0.1.0")
    planned = [cell("0.33.0"), cell("0.34.0")]
    swept.queue.enqueue(sweep, [(key(c), c) for c in planned])
    job = swept.queue.claim("me", sweep)
    assert job
    swept.queue.set_phase(job.job_id, "me", "probe", "prompt 4 of 16")
    page = parse(client.get("/").text)
    states = [s.text for s in page.one("table", "heatmap").all(cls="sq") if {"s-running", "s-queued"} & s.classes]
    assert states == ["probe, running", "queued"]
    assert "0 of 2 cells" in page.one(id_="live").text and "prompt 4 of 16" in page.one(id_="live").text
    assert "prompt 4 of 16" in parse(client.get(f"/sweeps/{sweep}").text).one("table").text


def test_an_empty_database_is_an_invitation(client: TestClient) -> None:
    assert "Nothing has been measured yet" in client.get("/").text
    assert client.get("/api/results").json() == []


def test_a_stored_bisection_is_shown_live_and_beside_the_regression(swept: Store, client: TestClient) -> None:
    (flip,) = swept.read.regressions()
    request = Request(
        config="matrix.toml", engine="vllm", good="0.27.1", bad="0.32.0", regress=Regress.WORKS, target=flip.target,
        draft=flip.draft, method=flip.method,
    )  # fmt: skip
    line = in_a_row(Point("0.27.1", "0.27.1"), [Point(v, v) for v in ("0.30.0", "0.32.0")])
    number = swept.bisections.begin(
        engine="vllm", level="release", question="works", request=request.to_json(), config="", history=line.to_json(),
        owner=owner.me(),
    )  # fmt: skip
    swept.bisections.answer(number, "0.27.1", "good", run_id="good-1", phase="ends")
    swept.bisections.answer(number, "0.32.0", "bad", run_id="bad-1", phase="ends")
    shown = parse(client.get(f"/bisections/{number}").text)
    assert "hx-get" in shown.one(id_="bisection").attrs
    assert [a.text for a in shown.all("a") if a.attrs["href"] == "/runs/bad-1"] == ["known before"]
    assert client.get(f"/fragments/bisections/{number}").status_code == 200
    assert client.get(f"/bisections/{number}/log").text.startswith("git bisect start '0.32.0' '0.27.1'")
    assert client.get(f"/api/v1/bisections/{number}").json()["next"] == ["0.30.0"]
    for page in ("/regressions", "/runs/bad-1", "/bisections", f"/series/{SERIES}"):
        assert f"/bisections/{number}" in client.get(page).text, page
