"""Text from outside: model names, reasons, logs and outputs are written by others."""

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import client_of
from tests.web.extremes import HOSTILE, hostile
from tests.web.page import parse

PAGES = [
    "/",
    "/series/5e1e000000000001",
    "/runs/r-0001",
    "/regressions",
    "/sweeps/3",
    "/fragments/live?have=",
    "/fragments/sweeps/3",
]


@pytest.fixture
def attacked() -> TestClient:
    return client_of(hostile())


@pytest.mark.parametrize("path", PAGES)
def test_hostile_text_stays_text(attacked: TestClient, path: str) -> None:
    answer = attacked.get(path)
    assert answer.status_code == 200
    page = parse(answer.text)
    assert [s.attrs.get("src", "").split("?")[0] for s in page.all("script")] in (
        [],
        ["/static/vendor/htmx.min.js", "/static/app.js"],
    )
    assert all(not name.startswith("on") for node in page.walk() for name in node.attrs)
    assert [i.attrs["src"].split("?")[0] for i in page.all("img")] in ([], ["/static/icon.svg"])
    assert "49" not in page.text or "{{7*7}}" in page.text


@pytest.mark.parametrize("path", PAGES)
def test_hidden_characters_are_made_visible_everywhere(attacked: TestClient, path: str) -> None:
    text = attacked.get(path).text
    assert not set(text) & {"\x00", "\x1b", "\u202e"}
    if path != "/fragments/live?have=":
        assert "⟦U+202E⟧gnp.exe" in text and "⟦U+0000⟧" in text


def test_raw_log_is_sent_as_it_is_but_never_as_a_page(attacked: TestClient) -> None:
    answer = attacked.get("/runs/r-0001/log")
    assert answer.text == HOSTILE * 3
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_hostile_names_cannot_escape_the_commands(attacked: TestClient) -> None:
    import shlex

    command = parse(attacked.get("/runs/r-0001").text).one("code", id_="bisect").raw
    words = shlex.split(command)
    assert words[:3] == ["matrix", "bisect", "run"]
    assert len(words) == 3 + 2 * 8


def test_a_hostile_address_is_echoed_as_text(attacked: TestClient) -> None:
    answer = attacked.get("/runs/%3Cscript%3Ealert(1)%3C/script%3E")
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text
    assert attacked.get("/api/runs/%3Cscript%3E").headers["content-type"] == "application/json"


def test_half_a_surrogate_pair_does_not_break_the_page() -> None:
    reader = hostile()
    from dataclasses import replace

    reader.runs["r-0001"] = replace(reader.runs["r-0001"], resolved={"x": "\ud800"})
    assert "⟦U+D800⟧" in client_of(reader).get("/runs/r-0001").text
