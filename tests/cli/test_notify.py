"""`matrix notify`: a test that arrives or says why not, the list, and the text of one message."""

import json
from pathlib import Path

import pytest

from matrix.app.news import sample_message
from matrix.cli.main import main
from matrix.store import open_store
from matrix.store.messages import MessageStatus
from tests.notify.receiver import receiver

BASE = """
[engines.vllm]
versions = ["1.0"]
[targets.t]
path = "t"
"""


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return f"sqlite:///{tmp_path}/m.db"


def write(table: str) -> None:
    Path("matrix.toml").write_text(f"{BASE}\n[notify.ops]\n{table}\n")


def test_a_test_arrives_and_stores_nothing(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write('kind = "slack"\nurl = "env:HOOK"\nallow_private = true')
    with receiver() as server:
        monkeypatch.setenv("HOOK", server.url)
        assert main(["notify", "--test", "ops", "--db", db]) == 0
    assert "a test, nothing happened" in server.got[0][2]["text"]
    assert not Path("m.db").exists()


def test_a_private_address_is_refused_without_telling_the_secret(
    db: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write('kind = "webhook"\nurl = "env:HOOK"')
    with receiver() as server:
        monkeypatch.setenv("HOOK", server.url)
        assert main(["notify", "--test", "ops", "--db", db]) == 4
        assert server.got == []
    err = capsys.readouterr().err
    assert "matrix.toml: notify.ops: 127.0.0.1 is no address of the public internet" in err and "secret-path" not in err


def test_a_faulty_table_is_bad_usage(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    write('kind = "slack"\nurl = "https://hooks.slack.com/services/T/B/sEcReT"')
    assert main(["notify", "--test", "ops", "--db", db]) == 2
    err = capsys.readouterr().err
    assert "notify.ops.url" in err and "env:NAME" in err and "sEcReT" not in err


def test_the_list_the_text_and_another_try(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(db)
    store.messages.add("matrix.toml", "ops", [sample_message()])
    store.messages.settle(1, MessageStatus.FAILED, "gone")
    store.close()
    assert main(["notify", "--db", db, "--again", "1", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["message_id"], row["status"], row["attempts"]) == (1, "waiting", 0)
    assert main(["notify", "--db", db]) == 0
    assert "waiting" in capsys.readouterr().out
    assert main(["notify", "--db", db, "--show", "1"]) == 0
    assert "| cell | before | after |" in capsys.readouterr().out
    assert main(["notify", "--db", db, "--show", "9"]) == 3
