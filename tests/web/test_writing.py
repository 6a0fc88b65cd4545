"""Nobody changes anything without a token, and no other page does it through a visitor's browser."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from matrix.app.regression import AckView
from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import parse
from tests.web.reader import DictReader
from tests.web.test_regressions import regression
from tests.web.writers import OWN, TOKEN, ListWriter, form_token, log_in
from web import create_app

PAGE, FORM, API = "/regressions/1", "/regressions/1/acknowledge", "/api/v1/regressions/1/acknowledgements"
FIELDS = {"reason": "known upstream", "scope": "group", "until": "30d"}
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def writer() -> ListWriter:
    return ListWriter()


@pytest.fixture
def reader() -> DictReader:
    return DictReader(flips=[regression()])


@pytest.fixture
def client(writer: ListWriter, reader: DictReader) -> TestClient:
    return client_of(reader, writer=writer)


def writing_routes(routes: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """(method, address) of every route that takes anything but a plain read, with numbers filled in."""
    for route in routes:
        if isinstance(route, APIRoute):
            for method in route.methods - {"GET", "HEAD", "OPTIONS"}:
                yield method, before + route.path_format.replace("{flip_id}", "1").replace("{ack_id}", "4")
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        if inner:
            yield from writing_routes(inner, before)


@pytest.mark.parametrize("kind", ["no token", "wrong token", "read-only"])
def test_no_route_that_writes_is_open(writer: ListWriter, reader: DictReader, kind: str) -> None:
    app = create_app(reader, writer=None if kind == "read-only" else writer)
    later = APIRouter()
    later.add_api_route("/written/later", lambda: writer.written.append(("later",)), methods=["PUT"])
    app.include_router(later)
    app.add_api_route("/api/later", lambda: writer.written.append(("later",)), methods=["PATCH"])
    found = set(writing_routes(app.routes))
    assert {("POST", FORM), ("POST", API), ("DELETE", "/api/v1/acknowledgements/4"), ("POST", "/login")} <= found
    assert {("PUT", "/written/later"), ("PATCH", "/api/later")} <= found
    for method, path in sorted(found):
        client = TestClient(app, raise_server_exceptions=False)
        headers = {"Authorization": "Bearer mtx_wrong"} if kind == "wrong token" else {}
        answer = client.request(method, path, headers=headers)
        expected = {403} if kind == "read-only" else {401, 403}
        assert answer.status_code in expected, (method, path)
    assert writer.written == []


def test_a_form_acknowledges_and_ends_it_after_logging_in(
    client: TestClient, writer: ListWriter, reader: DictReader
) -> None:
    assert parse(client.get(PAGE).text).all("form") == []
    log_in(client)
    sent = client.post(
        FORM, data=FIELDS | {"form_token": form_token(client, PAGE)}, headers=OWN, follow_redirects=False
    )
    assert (sent.status_code, sent.headers["location"]) == (303, f"{PAGE}#acknowledge-h")
    reader.flips = [regression(ack=AckView(4, "group", "known upstream", None, build.NOW))]
    assert "For good, for all cells that fell for the same cause" in parse(client.get(PAGE).text).one("main").text
    client.post("/regressions/1/unacknowledge", data={"form_token": form_token(client, PAGE)}, headers=OWN)
    assert writer.written == [("acknowledge", 1, "known upstream", "group", "30d"), ("end", 4)]


def test_what_was_typed_stays_when_it_cannot_be(client: TestClient, writer: ListWriter) -> None:
    log_in(client)
    data = FIELDS | {"until": "soon", "form_token": form_token(client, PAGE)}
    answer = client.post(FORM, data=data, headers=OWN)
    shown = parse(answer.text)
    assert answer.status_code == 422 and "`soon` is no date" in shown.one("p", "problem").text
    typed = {n.attrs.get("name"): n.attrs.get("value") for n in shown.all("input")}
    assert (typed["reason"], typed["until"], writer.written) == ("known upstream", "soon", [])


@pytest.mark.parametrize(
    ("headers", "token", "status"),
    [
        ({}, "own", 403),
        ({"Origin": "http://evil.example"}, "own", 403),
        ({"Origin": "http://testserver.evil.example"}, "own", 403),
        ({"Origin": "http://testserver:8001"}, "own", 403),
        ({"Origin": "null"}, "own", 403),
        ({"Sec-Fetch-Site": "cross-site"}, "own", 403),
        ({"Sec-Fetch-Site": "same-site", "Origin": "http://testserver"}, "own", 403),
        ({"Sec-Fetch-Site": "none"}, "own", 403),
        (OWN, "", 403),
        (OWN, "x", 403),
        (OWN, "another session's", 403),
        ({"Origin": "http://testserver"}, "own", 303),
        ({"Origin": "https://testserver:443"}, "own", 303),
        ({"Sec-Fetch-Site": "same-origin"}, "own", 303),
    ],
)
def test_a_form_counts_only_from_a_page_of_the_same_session(
    client: TestClient, writer: ListWriter, headers: dict[str, str], token: str, status: int
) -> None:
    other = TestClient(client.app, raise_server_exceptions=False)
    for browser in (client, other):
        log_in(browser)
    known = {"own": form_token(client), "another session's": form_token(other)}.get(token, token)
    answer = client.post(FORM, data=FIELDS | {"form_token": known}, headers=headers, follow_redirects=False)
    assert (answer.status_code, len(writer.written)) == (status, int(status == 303))


def test_a_session_ends_by_logging_out_by_revoking_and_by_forging(client: TestClient, writer: ListWriter) -> None:
    log_in(client)
    [(name, cookie)] = client.cookies.items()
    form = form_token(client)

    def tried(value: str) -> int:
        again = TestClient(client.app, cookies={name: value}, raise_server_exceptions=False)
        data = FIELDS | {"form_token": form}
        return again.post(FORM, data=data, headers=OWN, follow_redirects=False).status_code

    assert tried(cookie) == 303
    assert [tried(forged) for forged in ("", "x", cookie[:-1], "WyJjaSIsICJ4Il0." + cookie.partition(".")[2])] == [
        401
    ] * 4
    writer.revoked = True
    assert tried(cookie) == 401
    writer.revoked = False
    assert client.post("/logout", data={"form_token": form}, headers=OWN, follow_redirects=False).status_code == 303
    assert tried(cookie) == 401 and len(writer.written) == 1


def test_the_cookie_is_of_this_port_and_no_script_or_other_site_sees_it(client: TestClient) -> None:
    told = client.post("/login", data={"token": TOKEN}, headers=OWN, follow_redirects=False).headers["set-cookie"]
    assert told.startswith("matrix-session-http=") and TOKEN not in told
    assert "HttpOnly" in told and "SameSite=lax" in told and "Secure" not in told
    safe = TestClient(client.app, base_url="https://testserver", raise_server_exceptions=False)
    data = {"token": TOKEN, "next": "/compare?a=1"}
    entered = safe.post("/login", data=data, headers=OWN, follow_redirects=False)
    assert "Secure" in entered.headers["set-cookie"] and entered.headers["location"] == "/compare?a=1"
    anonymous = TestClient(client.app)
    assert anonymous.get(PAGE).headers["cache-control"] == "no-cache"
    assert client.get(PAGE).headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize(
    "after", ["//evil.example", "/\\evil.example", "https://evil.example", "evil", "/\tx", "", "/x\\y"]
)
def test_logging_in_leads_nowhere_else(client: TestClient, after: str) -> None:
    answer = client.post("/login", data={"token": TOKEN, "next": after}, headers=OWN, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_nobody_is_logged_in_by_another_page(client: TestClient) -> None:
    answer = client.post("/login", data={"token": TOKEN}, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403 and "set-cookie" not in answer.headers


def test_wrong_tokens_are_slowed_down_by_address(writer: ListWriter, reader: DictReader) -> None:
    app = create_app(reader, writer=writer)
    here, there = (
        TestClient(app, client=(host, 1), raise_server_exceptions=False) for host in ("192.0.2.1", "192.0.2.2")
    )
    wrong = {"Authorization": "Bearer mtx_wrong"}
    assert [here.post(API, json=FIELDS, headers=wrong).status_code for _ in range(10)] == [401] * 10
    for answer in (
        here.post(API, json=FIELDS, headers=BEARER),
        here.post("/login", data={"token": TOKEN}, headers=OWN),
    ):
        assert answer.status_code == 429 and 0 < int(answer.headers["retry-after"]) <= 60
    assert writer.written == []
    assert there.post(API, json=FIELDS, headers=BEARER).status_code == 201


def test_programs_need_no_form_token_and_browsers_cannot_use_their_address(
    client: TestClient, writer: ListWriter
) -> None:
    answer = client.post(API, json=FIELDS, headers=BEARER)
    assert (answer.status_code, answer.json()[0]["ack_id"]) == (201, 4)
    assert client.delete("/api/v1/acknowledgements/4", headers=BEARER).status_code == 204
    assert writer.written == [("acknowledge", 1, "known upstream", "group", "30d"), ("end", 4)]
    log_in(client)
    refused = client.post(API, json=FIELDS, headers=OWN)
    assert refused.status_code == 401 and "matrix token create" in refused.json()["hint"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"reason": ""}, 422),
        ({"reason": "x", "scope": "world"}, 422),
        ({"reason": "x", "until": "soon"}, 422),
        ({"reason": "x" * 100_000}, 413),
    ],
)
def test_a_wrong_body_is_told(client: TestClient, writer: ListWriter, body: dict[str, str], status: int) -> None:
    answer = client.post(API, json=body, headers=BEARER)
    assert (answer.status_code, writer.written) == (status, [])
    assert answer.json()["detail"] and answer.json()["hint"]


def test_a_dashboard_that_only_shows_has_no_form_and_says_what_to_do(reader: DictReader) -> None:
    client = client_of(reader)
    shown = parse(client.get(PAGE).text)
    assert shown.all("form") == [] and "matrix ack 1 --reason" in shown.one("code", id_="ack-command").raw
    assert all(a.attrs["href"] != "/login" for a in shown.all("a"))
    assert parse(client.get("/login").text).all("form") == []
    answer = client.post(API, json=FIELDS, headers=BEARER)
    assert answer.status_code == 403 and "--read-only" in answer.json()["hint"]
    assert API not in client.get("/openapi.json").json()["paths"]


def test_the_page_of_one_regression_holds_its_report(client: TestClient) -> None:
    shown = parse(client.get(PAGE).text)
    report = client.get("/regressions/1.md").text
    assert shown.one("code", id_="report").raw == report
    assert "report" in [button.attrs.get("data-copy") for button in shown.all("button")]
    assert client.get("/regressions/2").status_code == 404


def test_a_fixed_one_has_nothing_to_acknowledge(client: TestClient, reader: DictReader) -> None:
    reader.flips = [replace(regression(), standing=False, status="fixed")]
    log_in(client)
    assert parse(client.get(PAGE).text).all("form") == []


@pytest.mark.parametrize("address", ["//[", "http://[", "/[", "//evil.example/"])
def test_odd_addresses_to_go_on_to_are_no_error(client: TestClient, address: str) -> None:
    assert client.get("/login", params={"next": address}).status_code == 200
    sent = client.post("/login", data={"token": "mtx_wrong", "next": address}, headers=OWN)
    assert sent.status_code == 401
