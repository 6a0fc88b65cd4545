"""`/metrics`: plain text, kept for ten seconds, never by anybody else."""

from fastapi.testclient import TestClient

from tests.web.reader import DictReader
from web.app import create_app


def test_it_is_read_once_for_all_who_ask() -> None:
    calls: list[int] = []

    def text() -> bytes:
        calls.append(1)
        return b"specmatrix_gpus 2.0\n"

    client = TestClient(create_app(DictReader(), measures=text, version=lambda: 1))
    first, second = client.get("/metrics"), client.get("/metrics")
    assert first.text == second.text == "specmatrix_gpus 2.0\n"
    assert len(calls) == 1
    assert first.headers["content-type"].startswith("text/plain")
    assert first.headers["cache-control"] == "no-store"


def test_without_measures_there_is_no_such_page() -> None:
    assert TestClient(create_app(DictReader())).get("/metrics").status_code == 404
