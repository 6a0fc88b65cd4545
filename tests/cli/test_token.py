"""`matrix token`: told once, listed without it, revoked."""

import json
from pathlib import Path

import pytest

from matrix.cli.main import main
from matrix.store import open_store


@pytest.fixture
def db(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/matrix.db"


def test_a_token_is_printed_once_and_works(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "create", "ci", "--db", db]) == 0
    told = capsys.readouterr()
    token = told.out.strip()
    assert "only time" in told.err
    store = open_store(db)
    assert store.tokens.check(token) == "ci"
    store.close()
    assert main(["token", "list", "--db", db]) == 0
    listed = capsys.readouterr().out
    assert "ci" in listed
    assert token not in listed


def test_lists_are_json_and_revoked_ones_say_so(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["token", "create", "ci", "--db", db, "--json"])
    assert json.loads(capsys.readouterr().out)["name"] == "ci"
    assert main(["token", "revoke", "ci", "--db", db]) == 0
    capsys.readouterr()
    main(["token", "list", "--db", db, "--json"])
    row = json.loads(capsys.readouterr().out)
    assert set(row) == {"name", "created_at", "last_used_at", "revoked_at"}
    assert row["last_used_at"] is None
    assert row["revoked_at"] >= row["created_at"]


def test_a_name_taken_or_unknown_is_one_line(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["token", "create", "ci", "--db", db])
    capsys.readouterr()
    assert main(["token", "create", "ci", "--db", db]) == 2
    assert main(["token", "revoke", "other", "--db", db]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "already" in lines[0]
    assert "`matrix token list`" in lines[1]
