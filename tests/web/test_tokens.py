"""The real store behind the gate: tokens that stand, and acknowledgements that hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from matrix.core.ack import Ack
from matrix.store import Store, open_store
from tests.app.stored import cell, judged, served
from tests.web.writers import OWN, form_token, log_in
from web import create_app
from web.store_reader import StoreReader
from web.store_writer import StoreWriter

FIELDS = {"reason": "known upstream", "scope": "series", "until": "30d"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One series that fell."""
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    for n, (version, length) in enumerate((("0.5.4", 2.195), ("0.5.5.post3", 1.02))):
        for boot in (0, 1):
            served(opened, cell(version, boot=boot), length * (1 + 0.002 * boot), at=1000.0 * n + boot)
    judged(opened)
    yield opened
    opened.close()


@pytest.fixture
def client(store: Store) -> TestClient:
    app = create_app(StoreReader(store), writer=StoreWriter(store), version=store.mark.now)
    return TestClient(app, raise_server_exceptions=False)


def fallen(store: Store) -> int:
    return store.read.regressions(True)[0].flip_id


def holding(store: Store) -> list[Ack]:
    return [ack for ack in store.acks.all() if ack.removed_at is None]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_a_standing_token_opens_it_until_it_is_revoked(client: TestClient, store: Store, scheme: str) -> None:
    token, path = store.tokens.create("ci"), f"/api/v1/regressions/{fallen(store)}/acknowledgements"
    headers = {"Authorization": f"{scheme} {token}"}
    answer = client.post(path, json=FIELDS, headers=headers)
    assert answer.status_code == 201 and answer.json()[0]["ack_id"] == holding(store)[0].ack_id
    store.tokens.revoke("ci")
    assert client.post(path, json=FIELDS, headers=headers).status_code == 401
    assert len(store.acks.all()) == 1


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Bearer nonsense", "Basic TOKEN", "TOKEN"])
def test_anything_else_is_refused_with_the_next_step(client: TestClient, store: Store, header: str | None) -> None:
    token = store.tokens.create("ci")
    headers = {} if header is None else {"Authorization": header.replace("TOKEN", token)}
    client.cookies.set("authorization", f"Bearer {token}")
    path = f"/api/v1/regressions/{fallen(store)}/acknowledgements"
    answer = client.post(path, json=FIELDS, headers=headers, params={"token": token})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "matrix token create" in answer.json()["hint"]
    assert store.acks.all() == []


def test_the_form_acknowledges_at_once_for_everybody_and_ends_it(client: TestClient, store: Store) -> None:
    number = fallen(store)
    page, nobody = f"/regressions/{number}", TestClient(client.app)
    assert "Acknowledged" not in nobody.get(page).text
    log_in(client, store.tokens.create("ci"))
    form = {"form_token": form_token(client, page)}
    assert client.post(f"{page}/acknowledge", data=FIELDS | form, headers=OWN).status_code == 200
    assert [(ack.scope, ack.reason, ack.metric) for ack in holding(store)] == [("series", "known upstream", None)]
    assert "known upstream" in nobody.get(page).text
    assert client.post(f"{page}/unacknowledge", data=form, headers=OWN).status_code == 200
    assert holding(store) == [] and "known upstream" not in nobody.get(page).text


@pytest.mark.parametrize(
    ("number", "fields", "status"),
    [
        ("1", {"reason": " "}, 422),
        ("1", {"until": "2020-01-01"}, 422),
        ("1", {"scope": "world"}, 422),
        ("77", {}, 404),
    ],
)
def test_what_cannot_be_acknowledged_is_told(
    client: TestClient, store: Store, number: str, fields: dict[str, str], status: int
) -> None:
    headers = bearer(store.tokens.create("ci"))
    number = str(fallen(store)) if number == "1" else number
    answer = client.post(f"/regressions/{number}/acknowledge", data=FIELDS | fields, headers=headers)
    assert (answer.status_code, store.acks.all()) == (status, [])


def test_a_revoked_token_ends_its_sessions(client: TestClient, store: Store) -> None:
    log_in(client, store.tokens.create("ci"))
    assert "acts with the token" in client.get("/login").text
    store.tokens.revoke("ci")
    assert "acts with the token" not in client.get("/login").text
