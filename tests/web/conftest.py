"""Clients of dashboards over made-up stores."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from tests.web import build, worlds
from tests.web.reader import DictReader
from web import create_app

Open = Callable[[DictReader], TestClient]


def client_of(store: DictReader, **options: float) -> TestClient:
    """A client that gets error pages instead of exceptions, at the fixed time `build.NOW`."""
    return TestClient(create_app(store, clock=lambda: build.NOW, **options), raise_server_exceptions=False)


@pytest.fixture
def client() -> TestClient:
    return client_of(worlds.every_state())
