"""Clients of dashboards over made-up stores, and a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from matrix.store import Store, open_store
from tests.require import require
from tests.web import browser as chrome
from tests.web import build, worlds
from tests.web.reader import DictReader
from web import create_app

# A busy machine may take longer than the five seconds that are usual.
expect.set_options(timeout=20_000)


def client_of(store: DictReader, **options: Any) -> TestClient:
    """A client that gets error pages instead of exceptions, at the fixed time `build.NOW`."""
    return TestClient(create_app(store, clock=lambda: build.NOW, **options), raise_server_exceptions=False)


@pytest.fixture(scope="session")
def client() -> TestClient:
    """Over the database with every state, which no test that uses this changes."""
    return client_of(worlds.every_state())


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    require("chromium", Path(chrome.PATH).exists(), f"there is no {chrome.PATH}; set MATRIX_CHROMIUM")
    with chrome.chromium() as started:
        yield started


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty database, in a folder of its own."""
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()
