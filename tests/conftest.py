"""Settings shared by all tests: nothing of the user's own database or cache is touched."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MATRIX_DB", "MATRIX_HOME", "MATRIX_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MATRIX_CACHE", str(tmp_path / "cache"))
