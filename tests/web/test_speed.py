"""Cost of the pages with fifty series by forty revisions, in processor time so that a busy machine does not matter."""

import time

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import client_of
from tests.web.extremes import large

PAGES = [
    "/",
    "/regressions",
    "/series/5e1e000000000007",
    "/runs/r-0001",
    "/sweeps/3",
    "/api/overview",
    "/api/series/5e1e000000000007",
]


@pytest.fixture(scope="module")
def client() -> TestClient:
    return client_of(large())


@pytest.mark.parametrize("path", PAGES)
def test_a_page_takes_less_than_fifty_milliseconds(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200
    assert min(_seconds(client, path) for _ in range(5)) < 0.05


def _seconds(client: TestClient, path: str) -> float:
    before = time.process_time()
    client.get(path)
    return time.process_time() - before
