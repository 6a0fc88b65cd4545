"""Every test of the store runs on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.store import Store, open_store
from tests.databases import KINDS, prepared


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from prepared(request, request.param)


@pytest.fixture
def store(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    opened = open_store(url)
    yield opened
    opened.close()
