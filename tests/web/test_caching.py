"""Answers kept until the database changes."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from matrix.store import Store, open_store
from tests.store.build import baseline_run, cell, run, sample
from tests.web.loops import looped
from web.caching import Caching
from web.export_ask import ask
from web.serving import _server


@dataclass
class Counting:
    """An application that counts how often it is asked, over a database whose state is `version`."""

    version: object = 1
    asked: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = "text " * 1000

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        await PlainTextResponse(self.text, headers=self.headers)(scope, receive, send)

    def client(self) -> TestClient:
        return TestClient(Caching(self, lambda: self.version))


def test_an_answer_is_worked_out_once_for_each_state_of_the_database() -> None:
    app = Counting()
    client = app.client()
    for _ in range(3):
        assert client.get("/x").text == app.text
    assert app.asked == 1
    client.get("/x?other=1")
    assert app.asked == 2
    app.version = 2
    client.get("/x")
    assert app.asked == 3


@pytest.mark.parametrize("headers", [{"Cookie": "a=b"}, {"Authorization": "Bearer x"}])
def test_what_is_asked_by_somebody_in_particular_is_not_kept(headers: dict[str, str]) -> None:
    app = Counting()
    for _ in range(2):
        app.client().get("/x", headers=headers)
    assert app.asked == 2


@pytest.mark.parametrize(
    "app",
    [Counting(version=None), Counting(headers={"cache-control": "max-age=9"}), Counting(headers={"set-cookie": "a=b"})],
)
def test_what_may_not_be_kept_is_asked_for_each_time(app: Counting) -> None:
    client = app.client()
    assert [client.get("/x").text for _ in range(2)] == [app.text] * 2
    assert app.asked == 2


def test_it_is_packed_for_whoever_takes_that_and_not_sent_to_whoever_has_it() -> None:
    client = Counting().client()
    packed = client.get("/x", headers={"Accept-Encoding": "gzip"})
    plain = client.get("/x", headers={"Accept-Encoding": "gzip;q=0, br"})
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert int(packed.headers["content-length"]) < 100 and packed.text == plain.text
    assert "content-encoding" not in plain.headers and packed.headers["etag"] != plain.headers["etag"]
    again = client.get("/x", headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"") and "content-encoding" not in again.headers
    other = client.get("/x", headers={"Accept-Encoding": "gzip", "If-None-Match": '"other"'})
    assert other.status_code == 200


class Slow:
    """An application that says at what version of its database it was asked, once it may."""

    def __init__(self) -> None:
        self.version, self.asked = 1, 0
        self.may = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        said = str(self.version)
        await self.may.wait()
        await PlainTextResponse(said)(scope, receive, send)


async def _together(app: Slow, *versions: int) -> list[bytes]:
    """What those who ask get: one at each of these versions, all of them before the first has its answer."""
    caching, found = Caching(app, lambda: app.version), []
    asking = []
    for version in versions:
        app.version = version
        body: list[bytes] = []
        asking.append(asyncio.create_task(ask(caching, "/x", body.append)))
        found.append(body)
        while not app.asked:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
    app.may.set()
    await asyncio.gather(*asking)
    return [b"".join(body) for body in found]


def test_those_who_ask_at_the_same_time_wait_for_one_answer() -> None:
    async def scene() -> tuple[list[bytes], int]:
        app = Slow()
        return await _together(app, 1, 1, 1, 1, 1), app.asked

    assert looped(scene()) == ([b"1"] * 5, 1)


def test_nobody_gets_what_was_begun_before_a_change_that_came_before_the_question() -> None:
    async def scene() -> tuple[list[bytes], int]:
        app = Slow()
        return await _together(app, 1, 2, 3, 4, 4), app.asked

    # The first was answered of what it had asked; all others share one answer, which is as new as any of them may ask.
    assert looped(scene()) == ([b"1", b"4", b"4", b"4", b"4"], 2)


def test_of_changes_that_come_faster_than_answers_each_question_waits_for_two_at_most() -> None:
    class Restless(Slow):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await super().__call__(scope, receive, send)
            self.version += 1

    async def scene() -> tuple[list[bytes], int]:
        app = Restless()
        return await _together(app, *[1] * 6), app.asked

    bodies, asked = looped(scene())
    assert asked == 2 and bodies == [b"1", *[b"2"] * 5]


def test_what_streams_passes_as_it_comes() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await StreamingResponse(iter(["a" * 2000, "b" * 2000]), media_type="text/csv")(scope, receive, send)

    client = TestClient(Caching(app, lambda: 1))
    assert client.get("/x").text == "a" * 2000 + "b" * 2000
    assert "etag" not in client.get("/x").headers


def test_a_new_run_is_on_the_next_page_whoever_stored_it(store: Store) -> None:
    client = TestClient(_server(store, None).config.app)
    store.runs.save(run("one", cell("0.27.1"), sample(), at=1.0))
    assert "/runs/one" in client.get("/").text
    assert client.get("/").text == client.get("/").text
    other = open_store(f"sqlite:///{store.place}")
    other.runs.save(run("two", cell("0.28.0"), sample(), at=2.0))
    other.close()
    assert "/runs/two" in client.get("/").text
    store.runs.save(baseline_run("three", "0.28.0", at=3.0))
    assert "/runs/three" in client.get("/").text


def test_a_database_put_in_the_place_of_another_is_read(store: Store, tmp_path: Path) -> None:
    store.runs.save(run("one", cell("0.27.1"), sample(), at=1.0))
    client = TestClient(_server(store, None).config.app)
    assert "/runs/one" in client.get("/").text
    fresh = open_store(f"sqlite:///{tmp_path}/fresh.db")
    fresh.runs.save(run("two", cell("0.28.0"), sample(), at=2.0))
    fresh.close()
    for left in tmp_path.glob("matrix.db-*"):
        left.unlink()
    (tmp_path / "fresh.db").replace(tmp_path / "matrix.db")
    assert "/runs/two" in client.get("/").text
