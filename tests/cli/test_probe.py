"""`matrix probe` against scripted engines: what it prints, its gate, keys, the database, and servers that are none."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from matrix.cli.main import main
from matrix.executors.ports import free_port
from matrix.store.views import ResultRow
from tests.fakes.engine import FakeEngine, Script
from tests.fakes.sglang import FakeSglang

KEY = "k-4711-very-secret"
SMALL = ["--limit", "6", "--max-tokens", "40"]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPECMATRIX_API_KEY", raising=False)


def vllm(**script: object) -> FakeEngine:
    return FakeEngine(Script(**{"version": "0.32.0"} | script))  # type: ignore[arg-type]


def probe(engine: FakeEngine | FakeSglang, *args: str) -> int:
    return main(["probe", "--url", engine.url, *SMALL, *args])


def test_json_is_one_line_with_the_keys_of_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    with vllm() as engine:
        assert probe(engine, "--json") == 0
    lines = capsys.readouterr().out.splitlines()
    body = json.loads(lines[0])
    assert len(lines) == 1 and list(body) == [f.name for f in fields(ResultRow)]
    assert (body["engine"], body["revision"], body["k"]) == ("vllm", "0.32.0", 3)
    assert (body["executor"], body["hardware"], body["evidence"]) == ("url", "unknown", "measured")
    assert body["accept_length"] == pytest.approx(1 + body["accepted"] / body["verify_steps"])


def test_text_shows_interval_positions_and_speed(capsys: pytest.CaptureFixture[str]) -> None:
    with vllm() as engine:
        assert probe(engine) == 0
    out = capsys.readouterr().out
    assert "95 % over prompts" in out and "tokens/s" in out
    assert [line.split()[1] for line in out.splitlines() if line.startswith("position")] == ["1", "2", "3"]


@pytest.mark.parametrize(("bar", "code"), [("1.5", 0), ("3.9", 1)])
def test_the_bar_is_a_gate(bar: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with vllm() as engine:
        assert probe(engine, "--min-accept-length", bar) == code
    assert ("is below 3.9" in capsys.readouterr().err) is bool(code)


@pytest.mark.parametrize("bar", ["nan", "inf", "0.5"])
def test_what_is_no_bar_is_bad_usage(bar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--url", "http://127.0.0.1:1", "--min-accept-length", bar]) == 2
    assert "--min-accept-length" in capsys.readouterr().err


def test_what_is_no_address_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--url", "http://[::1"]) == 2
    assert "--url: Invalid IPv6 URL" in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["no-counters", "no-metrics", "foreign"])
def test_no_value_never_passes_the_bar(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    with vllm(mode=mode, per_request=False) as engine:
        assert probe(engine, "--min-accept-length", "1", "--json") == 1
    caught = capsys.readouterr()
    assert json.loads(caught.out)["accept_length"] is None
    assert ("foreign-traffic" if mode == "foreign" else "--disable-log-stats") in caught.err


def test_nobody_there_is_exit_4_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--url", f"http://127.0.0.1:{free_port()}"]) == 4
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and "nobody answers" in err and "is the server running?" in err


@pytest.mark.parametrize("kind", ["vllm", "sglang"])
def test_a_key_is_sent_and_shown_nowhere(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sglang = FakeSglang("0.5.15.post1", Script(key=KEY), speculative_algorithm="EAGLE3")
    db = tmp_path / "m.db"
    with vllm(key=KEY) if kind == "vllm" else sglang as engine:
        assert probe(engine) == 2
        assert "wants an API key" in capsys.readouterr().err
        monkeypatch.setenv("MY_KEY", KEY)
        assert probe(engine, "--api-key-env", "MY_KEY", "--db", f"sqlite:///{db}") == 0
        monkeypatch.setenv("SPECMATRIX_API_KEY", KEY)
        assert probe(engine, "--json") == 0
    caught = capsys.readouterr()
    assert KEY not in caught.out + caught.err
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_key_that_an_answer_quotes_is_hidden(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPECMATRIX_API_KEY", KEY)
    with vllm(mode="status", status=500, after=2) as engine:
        monkeypatch.setattr(
            engine.http.RequestHandlerClass, "spoil_status", lambda self, body: self.send(f"bad {KEY}".encode(), 500)
        )
        assert probe(engine, "--json") == 4
    body = json.loads(capsys.readouterr().out)
    assert body["outcome"] == "serve-crash" and "bad [redacted]" in body["reason"]


def test_a_named_variable_must_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--url", "http://127.0.0.1:1", "--api-key-env", "NOT_SET_HERE"]) == 2
    assert "NOT_SET_HERE" in capsys.readouterr().err


def test_stored_where_results_find_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = f"sqlite:///{tmp_path}/m.db"
    with vllm() as engine:
        assert probe(engine, "--db", db, "--json") == 0
    printed = capsys.readouterr().out
    assert main(["results", "--db", db, "--json"]) == 0
    assert capsys.readouterr().out == printed


def test_nothing_is_left_behind_without_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with vllm() as engine:
        assert probe(engine) == 0
    assert list(tmp_path.iterdir()) == []


def test_own_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"text": "def one("}\n{"text": "def two("}\n')
    with vllm() as engine:
        assert probe(engine, "--prompts", str(file), "--json") == 0
        assert [r["prompt"] for r in engine.requests[1:]] == ["def one(", "def two("]
    body = json.loads(capsys.readouterr().out)
    assert (body["workload"], body["kind"], body["samples"]) == ("mine", "text", 2)


def test_broken_prompts_name_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"text": "ok"}\n{"txt": 1}\n')
    assert main(["probe", "--url", "http://127.0.0.1:1", "--prompts", str(file)]) == 2
    assert "mine.jsonl:2" in capsys.readouterr().err


def test_an_address_with_a_password_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--url", "http://me:hunter2@127.0.0.1:1"]) == 2
    assert "hunter2" not in capsys.readouterr().err


def test_a_server_that_dies_is_reported_and_exit_4(capsys: pytest.CaptureFixture[str]) -> None:
    with vllm(mode="dies", after=3) as engine:
        assert probe(engine, "--json") == 4
    body = json.loads(capsys.readouterr().out)
    assert (body["outcome"], body["accept_length"], body["samples"]) == ("serve-crash", None, 2)
