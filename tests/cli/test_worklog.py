"""A service's lines: words for people, or one JSON object each."""

import json

import pytest

from matrix.cli.worklog import WorkLog, say
from matrix.core.outcome import Outcome
from tests.store.build import cell


def told() -> None:
    log = WorkLog()
    log.phase(cell(), "probe", "prompt 1")
    log.phase(cell(), "probe", "prompt 2")
    log.done(cell(), Outcome.HANG, "no answer\x1b[31m\nfor 60 s")
    say("its nights are kept")


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    told()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].partition(" ")[2] == f"{cell().label}: probe"
    assert len(lines) == 3


def test_one_json_object_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MATRIX_LOG", "json")
    told()
    rows = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [row["event"] for row in rows] == ["phase", "done", "note"]
    assert rows[0]["cell"] == cell().label and rows[0]["phase"] == "probe"
    assert rows[1]["outcome"] == "hang" and rows[1]["reason"] == "no answer [31m for 60 s"
    assert set(rows[2]) == {"at", "event", "text"}


def test_a_run_that_waits_to_be_stored_says_why_once(capsys: pytest.CaptureFixture[str]) -> None:
    log = WorkLog()
    for _ in range(2):
        log.phase(cell(), "save", "/data/m.db: the disk is full (free space on it)")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"{cell().label}: save: /data/m.db: the disk is full (free space on it)")
