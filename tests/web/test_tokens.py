"""A writing route, which only a standing token opens."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest
from fastapi import Depends
from fastapi.testclient import TestClient

from matrix.store import Store, open_store
from tests.web import worlds
from web import create_app
from web.tokens import writer

PATH = "/api/test-write"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


@pytest.fixture
def written() -> list[str]:
    return []


@pytest.fixture
def client(store: Store, written: list[str]) -> TestClient:
    app = create_app(worlds.every_state())

    @app.post(PATH)
    def write(name: Annotated[str, Depends(writer(store.tokens.check))]) -> dict[str, str]:
        written.append(name)
        return {"by": name}

    return TestClient(app, raise_server_exceptions=False)


def test_a_standing_token_opens_it_until_it_is_revoked(client: TestClient, store: Store, written: list[str]) -> None:
    token = store.tokens.create("ci")
    for scheme in ("Bearer", "bearer"):
        answer = client.post(PATH, headers={"Authorization": f"{scheme} {token}"})
        assert (answer.status_code, answer.json()) == (200, {"by": "ci"})
    store.tokens.revoke("ci")
    assert client.post(PATH, headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert written == ["ci", "ci"]


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Bearer nonsense", "Basic TOKEN", "TOKEN"])
def test_anything_else_is_refused_with_the_next_step(
    client: TestClient, store: Store, written: list[str], header: str | None
) -> None:
    token = store.tokens.create("ci")
    headers = {} if header is None else {"Authorization": header.replace("TOKEN", token)}
    answer = client.post(PATH, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "matrix token create" in answer.json()["hint"]
    assert written == []


def test_a_token_elsewhere_than_in_the_header_does_not_count(client: TestClient, store: Store) -> None:
    token = store.tokens.create("ci")
    client.cookies.set("authorization", f"Bearer {token}")
    assert client.post(PATH, params={"token": token}).status_code == 401
