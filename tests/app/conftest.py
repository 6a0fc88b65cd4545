"""A store of its own for each test; `on_both` (tests/databases.py) tries it on PostgreSQL too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.store import Store, open_store


@pytest.fixture
def url(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    return database


@pytest.fixture
def stored(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()
