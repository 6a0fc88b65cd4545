"""What a start asks for before the port answers."""

import gc
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from fastapi.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from matrix.store import Store
from tests.store.build import cell, run, sample
from tests.web.loops import looped
from web import serving
from web.reader import Reader
from web.store_reader import StoreReader
from web.warm import addresses, warm


@pytest.fixture(autouse=True)
def _thaw() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_of_an_empty_database_only_the_first_page_is_asked_for(store: Store) -> None:
    assert addresses(StoreReader(store)) == ["/"]


def test_one_page_of_each_kind_is_asked_for_and_all_of_them_answer(store: Store) -> None:
    store.runs.save(run("one", cell("0.27.1"), sample(), at=1.0))
    found = addresses(StoreReader(store))
    kinds = {address.strip("/").partition("/")[0].partition("?")[0] for address in found}
    assert kinds == {"", "runs", "series", "compat"}
    client = TestClient(serving._server(store, None).config.app)
    assert [client.get(address).status_code for address in found] == [200] * len(found)


def test_a_page_that_fails_keeps_no_other_from_being_asked_for(store: Store) -> None:
    store.runs.save(run("one", cell("0.27.1"), sample(), at=1.0))
    asked = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["path"])
        raise RuntimeError("no page today")

    reader = StoreReader(store)
    looped(warm(app, reader))
    assert asked == [address.partition("?")[0] for address in addresses(reader)]
    assert gc.get_freeze_count() > 0


def test_the_port_answers_once_the_pages_were_asked_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    async def asked(app: ASGIApp, reader: Reader) -> None:
        seen.append("asked")

    monkeypatch.setattr(serving, "warm", asked)
    with serving.Background(f"sqlite:///{store.place}", "127.0.0.1", 0) as server:
        server.wait_ready()
        with urlopen(f"{server.url}/healthz", timeout=60) as answer:
            seen.append(answer.status)
    assert seen == ["asked", 200]
