"""Settings shared by all tests: nothing of the user's own database or cache is touched."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import database, empty_url, migrated, pg_shared, pg_socket, pg_url, sqlite_url

__all__ = ["database", "empty_url", "migrated", "pg_shared", "pg_socket", "pg_url", "sqlite_url"]

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # What a shell starts in the background ignores it, and so would everything that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as below `nohup`


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """A verb that ends interrupted leaves these ignored, and processes started later would inherit that."""
    before = [signal.getsignal(number) for number in _ENDING]
    yield
    for number, handler in zip(_ENDING, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MATRIX_DB", "MATRIX_HOME", "MATRIX_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MATRIX_CACHE", str(tmp_path / "cache"))
