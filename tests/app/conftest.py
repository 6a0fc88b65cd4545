"""A store of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.store import Store, open_store


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    return f"sqlite:///{tmp_path}/history.db"


@pytest.fixture
def stored(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()
