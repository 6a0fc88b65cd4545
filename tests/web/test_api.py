from dataclasses import asdict, replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web import worlds
from tests.web.conftest import client_of
from tests.web.page import parse


def plain(value: Any) -> Any:
    """As JSON has it: tuples are lists."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value


def test_every_twin_equals_what_the_store_gave() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    pairs: dict[str, Any] = {
        "/api/overview": reader.seen,
        "/api/series/5e1e000000000001": reader.series("5e1e000000000001"),
        "/api/runs/r-0001": reader.run("r-0001"),
        "/api/runs/r-0102": reader.run("r-0102"),
        "/api/sweeps/3": reader.sweep(3),
    }
    for path, expected in pairs.items():
        assert client.get(path).json() == plain(asdict(expected)), path


def test_lists_equal_what_the_store_gave() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    assert client.get("/api/regressions").json() == [asdict(f) for f in reader.regressions(True)]
    assert client.get("/api/regressions?standing=false").json() == [asdict(f) for f in reader.regressions(False)]
    rows = [asdict(row) for row in reader.results()]
    assert client.get("/api/results").json() == rows
    assert client.get("/api/results?limit=1&offset=1").json() == rows[1:2]


def test_log_twin_and_health(client: TestClient) -> None:
    log = client.get("/api/runs/r-0001/log").json()
    assert log["run_id"] == "r-0001" and log["log_ref"] == "sha256:aa" and "step 299" in log["text"]
    assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize("path", ["/", "/regressions", "/series/5e1e000000000001", "/runs/r-0001", "/sweeps/3"])
def test_each_page_links_a_twin_that_answers(client: TestClient, path: str) -> None:
    twin = next(a for a in parse(client.get(path).text).one("footer").all("a") if a.text == "This page as JSON")
    answer = client.get(twin.attrs["href"])
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/api/runs/x", "/api/runs/x/log", "/api/series/x", "/api/sweeps/77", "/api/nothing"])
def test_what_is_not_there_is_json_with_a_next_step(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"detail", "hint"} and all(answer.json().values())


@pytest.mark.parametrize(
    "path",
    [
        "/api/sweeps/abc",
        "/api/results?limit=0",
        "/api/results?limit=x",
        "/api/results?offset=-1",
        "/api/results?offset=99999999999999999999",
        "/api/regressions?standing=maybe",
    ],
)
def test_bad_questions_are_refused_by_name(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 422
    assert set(answer.json()) == {"detail", "hint"}


def test_values_that_json_cannot_hold_become_null() -> None:
    reader = worlds.every_state()
    run = reader.runs["r-0001"]
    reader.runs["r-0001"] = replace(
        run, row=replace(run.row, accept_length=float("nan"), speedup=float("inf")), resolved={"x": float("nan")}
    )
    row = client_of(reader).get("/api/runs/r-0001").json()
    assert row["row"]["accept_length"] is None and row["row"]["speedup"] is None and row["resolved"] == {"x": None}


def test_description_is_typed_and_only_reads(client: TestClient) -> None:
    spec = client.get("/openapi.json").json()
    assert {m for path in spec["paths"].values() for m in path} == {"get"}
    expected = {
        "/api/overview": "Overview", "/api/series/{key}": "SeriesView", "/api/runs/{run_id}": "RunView",
        "/api/runs/{run_id}/log": "LogView", "/api/sweeps/{sweep_id}": "SweepView", "/healthz": "Health",
    }  # fmt: skip
    for path, name in expected.items():
        ok = spec["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert ok == {"$ref": f"#/components/schemas/{name}"}
    for path in spec["paths"].values():
        refused = path["get"]["responses"].get("422")
        assert refused is None or refused["content"]["application/json"]["schema"]["$ref"].endswith("/Problem")
    row = spec["components"]["schemas"]["ResultRow"]
    assert {"type": "null"} in row["properties"]["accept_length"]["anyOf"]


def test_posting_is_refused(client: TestClient) -> None:
    answer = client.post("/api/overview")
    assert answer.status_code == 405 and answer.headers["allow"] == "GET"
