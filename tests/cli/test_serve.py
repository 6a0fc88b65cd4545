"""`matrix serve` says when there is nothing to show yet, and what lies open to others."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.cli.main import main
from matrix.store import open_store
from web import serving

Served = Callable[..., str]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Served:
    """Start on a database, on any free port; returns what was said when the page was up."""

    def run(db: str, *more: str) -> str:
        assert main(["serve", "--db", db, "--port", "0", *more]) == 0
        return capsys.readouterr().err

    monkeypatch.setattr(serving, "wait_forever", lambda: None)
    return run


def test_an_empty_folder_is_told_with_the_next_step(tmp_path: Path, served: Served) -> None:
    first, second = served(f"sqlite:///{tmp_path}/matrix.db").splitlines()
    assert first.startswith(f"{tmp_path}/matrix.db: there was no database yet") and "`matrix sweep`" in first
    assert re.fullmatch(r"dashboard at http://127\.0\.0\.1:\d+ \(Ctrl-C ends it\)", second)


def test_a_database_that_exists_is_shown_without_a_word(tmp_path: Path, served: Served) -> None:
    db = f"sqlite:///{tmp_path}/matrix.db"
    open_store(db).close()
    assert len(served(db).splitlines()) == 1


def test_beyond_this_machine_it_says_what_is_open(tmp_path: Path, served: Served) -> None:
    db = f"sqlite:///{tmp_path}/matrix.db"
    store = open_store(db)
    open_here, open_to_all = served(db), served(db, "--host", "0.0.0.0")
    assert "reads everything" not in open_here
    assert "whoever reaches 0.0.0.0 reads everything" in open_to_all
    assert "nothing can be changed until `matrix token create NAME`" in open_to_all
    store.tokens.create("ci")
    assert "changing something needs a token" in served(db, "--host", "0.0.0.0")
    assert "nothing can be changed, since it only shows" in served(db, "--host", "0.0.0.0", "--read-only")
    store.close()


def test_a_web_address_is_no_name_of_a_host(tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--db", f"sqlite:///{tmp_path}/matrix.db", "--allow-host", "http://x/"]) == 2
    assert "write --allow-host x" in capsys.readouterr().err
