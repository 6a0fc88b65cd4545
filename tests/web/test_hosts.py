"""A page from elsewhere cannot read the dashboard by pointing a name of its own at this machine."""

import pytest
from fastapi.testclient import TestClient

from matrix.core.errors import ConfigError
from tests.web import worlds
from tests.web.conftest import client_of
from web.hosts import allowed_names


@pytest.fixture(scope="module")
def local() -> TestClient:
    return client_of(worlds.every_state(), hosts=allowed_names("127.0.0.1", ["Board.example"]))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
        "192.0.2.7:8000",
        "board.example",
        "me.localhost:1",
        "localhost.",
    ],
)
def test_own_names_and_addresses_are_answered(local: TestClient, host: str) -> None:
    assert local.get("/api/overview", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "a b", "[x]:1"]
)
@pytest.mark.parametrize("path", ["/", "/api/overview", "/runs/r-0001/log", "/static/app.css"])
def test_foreign_names_are_refused_with_the_next_step(local: TestClient, host: str, path: str) -> None:
    answer = local.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "--allow-host" in answer.text and "evil" not in answer.text
    assert "content-security-policy" in answer.headers


def test_listening_beyond_this_machine_answers_to_every_name_unless_some_are_given() -> None:
    assert allowed_names("0.0.0.0") is None
    assert allowed_names("192.0.2.7") is None
    assert allowed_names("::1") == {"::1", "localhost"}
    assert allowed_names("localhost") == {"localhost"}
    assert "localhost" in (allowed_names("0.0.0.0", ["localhost"]) or ())


@pytest.mark.parametrize("path", ["/", "/runs/r-0001", "/api/overview", "/healthz", "/static/app.css", "/nope"])
def test_head_says_what_get_says_without_the_body(client: TestClient, path: str) -> None:
    head, got = client.head(path), client.get(path)
    assert head.status_code == got.status_code
    assert head.content == b"" and got.content
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers["content-length"] == got.headers["content-length"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("http://x/", "write --allow-host x"),
        ("https://Board.example:8443/path?a=b", "write --allow-host board.example"),
        ("board.example:8000", "write --allow-host board.example"),
        ("board.example/", "write --allow-host board.example"),
        ("[::1]", "write --allow-host ::1"),
        ("http://", "for example --allow-host matrix.example.org"),
        ("*.example", "for example --allow-host matrix.example.org"),
    ],
)
def test_what_is_no_name_is_refused_with_what_to_write(given: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        allowed_names("127.0.0.1", [given])
    assert refused.value.hint == told
    name = told.rpartition(" ")[2]
    assert name in (allowed_names("127.0.0.1", [name]) or ())
