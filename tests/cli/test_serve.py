"""`matrix serve` says when there is nothing to show yet."""

from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.cli import serve
from matrix.cli.main import main
from matrix.store import open_store


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Start on a database; returns what was said when the page was up."""

    def announced(db: str, host: str, port: int, announce: Callable[[str], None], names: tuple[str, ...]) -> None:
        announce("http://127.0.0.1:8000")

    def run(db: str) -> str:
        assert main(["serve", "--db", db]) == 0
        return capsys.readouterr().err

    monkeypatch.setattr(serve, "serve_forever", announced)
    return run


def test_an_empty_folder_is_told_with_the_next_step(tmp_path: Path, served: Callable[[str], str]) -> None:
    first, second = served(f"sqlite:///{tmp_path}/matrix.db").splitlines()
    assert first.startswith(f"{tmp_path}/matrix.db: there was no database yet") and "`matrix sweep`" in first
    assert second == "dashboard at http://127.0.0.1:8000 (Ctrl-C ends it)"


def test_a_database_that_exists_is_shown_without_a_word(tmp_path: Path, served: Callable[[str], str]) -> None:
    db = f"sqlite:///{tmp_path}/matrix.db"
    open_store(db).close()
    assert len(served(db).splitlines()) == 1
