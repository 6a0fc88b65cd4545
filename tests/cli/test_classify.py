"""`matrix classify` from the outside: keys, exit codes, standard input, hostile files."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from matrix.cli.main import main

KEYS = ["engine", "outcome", "tier", "reason", "accept_length", "observations", "signature", "excerpt"]
LINE = "(APIServer pid=4) INFO 02-03 04:05:06 [metrics.py:9] SpecDecoding metrics: Mean acceptance length: 2.11, Accepted: 1 tokens\n"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    code = main(["classify", *args])
    return code, capsys.readouterr().out


def test_the_json_has_the_promised_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.write_text(LINE)
    code, out = run(capsys, str(log), "--json")
    body = json.loads(out)
    assert code == 0 and list(body) == KEYS and body["engine"] == "vllm" and body["accept_length"] == 2.11
    assert body["observations"] == [{"line": 1, "accept_length": 2.11, "flags": []}]


def test_a_named_failure_is_still_a_classified_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.write_text("MemoryError\n")
    code, out = run(capsys, str(log))
    assert code == 0 and "oom (ambiguous)" in out and "next step" in out


def test_standard_input_and_a_given_engine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Accept length: 2.30\n")))
    code, out = run(capsys, "-", "--json", "--engine", "sglang")
    assert code == 0 and json.loads(out)["engine"] == "sglang" and json.loads(out)["accept_length"] == 2.3


def test_what_is_not_there_is_not_found_and_a_folder_is_bad_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, str(tmp_path / "none.log"))[0] == 3
    assert run(capsys, str(tmp_path))[0] == 2
    assert run(capsys)[0] == 2


def test_a_compressed_log_is_refused_and_not_called_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = gzip.compress(LINE.encode())
    (tmp_path / "a.log.gz").write_bytes(packed)
    assert main(["classify", str(tmp_path / "a.log.gz")]) == 2
    assert "`zcat FILE | matrix classify -`" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert run(capsys, "-")[0] == 2


def test_junk_and_endless_lines_are_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(
        bytes(range(256)) * 9000 + b"\n" + b"acc" * 900_000 + b"\n" + b"A" * 3_000_000 + b"\n" + LINE.encode()
    )
    code, out = run(capsys, str(log), "--json")
    body = json.loads(out)
    assert code == 0 and body["accept_length"] == 2.11 and body["outcome"] == "ok"


def test_an_empty_log_tells_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.log"
    log.touch()
    code, out = run(capsys, str(log), "--json")
    body = json.loads(out)
    assert code == 0 and (body["engine"], body["accept_length"], body["observations"]) == (None, None, [])
