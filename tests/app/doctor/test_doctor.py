"""`matrix doctor`: each fault, made or pretended, is named with what to do, and none hides the others."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from matrix.app.doctor import all as doctor
from matrix.app.doctor.asks import Asks
from matrix.app.doctor.database import database
from matrix.app.doctor.finding import Finding, Level
from matrix.cli.main import main
from matrix.core.errors import EnvironmentMismatchError
from matrix.core.index import IndexSettings
from matrix.executors.docker.client import daemon_answers
from matrix.executors.docker.daemon import Daemon, daemon
from matrix.sources.hardware import Gpu, Gpus
from matrix.store import Store, open_store
from tests.require import require
from tests.store.build import baseline_run, plan

GIB = 2**30
H200 = Gpus((Gpu("H200", "GPU-1", 140.0, "9.0"),), "580.65.06", "13.0")


@pytest.fixture
def well(tmp_path: Path) -> Asks:
    """A machine that lacks nothing."""
    (tmp_path / "docker").mkdir()
    return Asks(
        daemon=lambda: Daemon("28.0", tmp_path / "docker", gpus=True, left=[]),
        gpus=lambda: H200,
        in_use=dict,
        free=lambda folder: 500 * GIB,
        settings=IndexSettings,
        index_clock=lambda settings: time.time(),
        cache=lambda: tmp_path / "cache",
        hub=lambda: tmp_path / "hub",
        servers_left=list,
        alive=lambda owner: True,
    )


@pytest.fixture
def db(tmp_path: Path) -> str:
    open_store(f"sqlite:///{tmp_path}/m.db").close()
    return f"sqlite:///{tmp_path}/m.db"


@contextmanager
def opened(db: str) -> Iterator[Store]:
    store = open_store(db)
    try:
        yield store
    finally:
        store.close()


def found(db: str, asks: Asks) -> dict[str, Finding]:
    return {f.check: f for f in doctor.examine(db, asks)}


def test_a_machine_that_lacks_nothing_is_ok_in_each_check(db: str, well: Asks) -> None:
    every = found(db, well)
    assert {f.level for f in every.values()} == {Level.OK}
    assert {"docker", "gpu", "driver", "disk of docker", "cache", "model hub cache", "package index", "clock", "database",
            "left in the database", "left containers", "left servers", "disk of database and logs"} <= set(every)  # fmt: skip


def no_daemon() -> Daemon:
    raise EnvironmentMismatchError("no Docker daemon answers: gone", hint="start Docker")


def gone(tmp: Any = None) -> str:
    raise OSError(5, "Input/output error", "/x")


OLD = replace(H200, driver="535.1", cuda="12.2")
FAULTS: list[tuple[str, dict[str, Any], Level, str, str]] = [
    ("docker", {"daemon": no_daemon}, Level.WARN, "no Docker daemon answers", "start Docker"),
    ("docker and GPUs", {"daemon": lambda: Daemon("28", Path("/none"), False, [])}, Level.WARN, "no GPU", "nvidia-ctk"),
    ("left containers", {"daemon": lambda: Daemon("28", Path("/"), True, ["a"])}, Level.WARN, "1 container", "removes"),
    ("gpu", {"gpus": Gpus}, Level.WARN, "no NVIDIA GPU", "driver"),
    ("gpu", {"in_use": lambda: {"GPU-1": "9.0 GiB in use by x (pid 1)"}}, Level.WARN, "GPU 0 has 9.0 GiB", "end these"),
    ("driver", {"gpus": lambda: OLD}, Level.WARN, "too old for images of CUDA 13.0", "upgrade the driver to 580"),
    ("driver", {"gpus": lambda: replace(OLD, cuda="11.8")}, Level.FAIL, "too old for all", "upgrade the driver"),
    ("driver", {"gpus": lambda: Gpus(H200.devices)}, Level.WARN, "unknown", "nvidia-smi"),
    ("disk of the cache", {"free": lambda folder: GIB}, Level.FAIL, "1.0 GiB are free", "MATRIX_CACHE"),
    ("disk of docker", {"free": lambda folder: 9 * GIB}, Level.WARN, "less than one GPU image", "prune"),
    ("clock", {"index_clock": lambda s: time.time() + 120}, Level.WARN, "120 s behind", "NTP"),
    ("clock", {"index_clock": lambda s: time.time() - 9000}, Level.FAIL, "9000 s ahead of", "NTP"),
    ("left servers", {"servers_left": lambda: ["r1", "r2"]}, Level.WARN, "2 servers of ended processes", "removes"),
    ("folders", {"free": gone}, Level.FAIL, "/x: Input/output error", "mend"),
]


@pytest.mark.parametrize(("check", "change", "level", "text", "fix"), FAULTS)
def test_each_fault_is_named_with_its_fix_and_the_rest_is_still_checked(
    check: str, change: dict[str, Any], level: Level, text: str, fix: str, db: str, well: Asks
) -> None:
    every = found(db, replace(well, **change))
    assert every[check].level is level
    assert text in every[check].text and fix in every[check].fix
    assert every["left servers"] is not None and "database" in every


def test_a_cache_that_cannot_be_written(db: str, well: Asks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    every = found(db, replace(well, cache=lambda: tmp_path / "file" / "below", hub=lambda: tmp_path / "file"))
    assert every["cache"].level is Level.FAIL and "MATRIX_CACHE" in every["cache"].fix
    assert every["model hub cache"].level is Level.FAIL and "HF_HOME" in every["model hub cache"].fix


@contextmanager
def served_index(at: float) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response_only(404)
            self.send_header("Date", formatdate(at, usegmt=True))
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_real_index_tells_the_time_and_one_that_is_gone_is_named_without_its_password(db: str, well: Asks) -> None:
    real = replace(well, index_clock=Asks().index_clock)
    with served_index(time.time() - 3600) as url:
        every = found(db, replace(real, settings=lambda: IndexSettings(index_url=url)))
    assert every["package index"].level is Level.OK and every["clock"].level is Level.FAIL
    lost = url.replace("://", "://me:hunter22@")
    every = found(db, replace(real, settings=lambda: IndexSettings(index_url=lost)))
    assert every["package index"].level is Level.FAIL and "hunter22" not in every["package index"].text
    assert "clock" not in every


def only(db: str, well: Asks) -> list[Finding]:
    return list(database(well, db))


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, well: Asks) -> None:
    (seen,) = only(f"sqlite:///{tmp_path}/none.db", well)
    assert seen.level is Level.WARN and "matrix sweep" in seen.fix
    assert not (tmp_path / "none.db").exists()


def test_a_damaged_a_foreign_and_a_newer_database(db: str, tmp_path: Path, well: Asks) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("create table theirs (x)")
    (foreign,) = only(f"sqlite:///{tmp_path}/other.db", well)
    (tmp_path / "text.db").write_text("no database " * 200)
    (text,) = only(f"sqlite:///{tmp_path}/text.db", well)
    with closing(sqlite3.connect(tmp_path / "m.db")) as ours:
        ours.execute("update matrix_schema set version_num = '9999'")
        ours.commit()
    (newer,) = only(db, well)
    assert [f.level for f in (foreign, text, newer)] == [Level.FAIL] * 3
    assert "another program" in foreign.text and "not a SQLite database" in text.text and "9999" in newer.text


def test_a_page_that_was_overwritten_is_found(db: str, tmp_path: Path, well: Asks) -> None:
    with opened(db) as store:
        plan(store, *(f"1.{i}" for i in range(50)))
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("pragma wal_checkpoint(truncate)")
        page, size = (
            raw.execute("select rootpage from sqlite_master where name = 'jobs'").fetchone()[0],
            raw.execute("pragma page_size").fetchone()[0],
        )
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    seen = only(db, well)[0]
    assert seen.level is Level.FAIL and "backup" in seen.fix


def test_an_old_schema_is_told_and_not_migrated(db: str, tmp_path: Path, well: Asks) -> None:
    with closing(sqlite3.connect(tmp_path / "m.db")) as ours:
        ours.execute("update matrix_schema set version_num = '0009'")
        ours.commit()
        (seen,) = only(db, well)
        assert seen.level is Level.OK and "schema 0009 (the next verb" in seen.text
        assert ours.execute("select version_num from matrix_schema").fetchone()[0] == "0009"


def test_a_run_from_the_future_and_what_the_dead_hold(db: str, well: Asks) -> None:
    with opened(db) as store:
        store.runs.save(baseline_run("later", at=time.time() + 86_400))
        plan(store, "1.0", "1.1")
        store.queue.claim("dead")
        store.leases.take("box", [0], 1, "dead", purpose="p", ttl_s=60)
    seen = {f.check: f for f in only(db, replace(well, alive=lambda owner: owner != "dead"))}
    assert seen["clock and database"].level is Level.FAIL
    assert seen["left in the database"].text == "1 cell and 1 GPU lease of ended processes"


def test_the_verb_exits_4_when_something_fails_and_prints_json(
    db: str, well: Asks, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "Asks", lambda: well)
    assert main(["doctor", "--db", db, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert set(rows[0]) == {"check", "level", "text", "fix"}
    monkeypatch.setattr(doctor, "Asks", lambda: replace(well, free=lambda folder: 0))
    assert main(["doctor", "--db", db]) == 4
    out = capsys.readouterr().out
    assert "fail  disk of the cache: 0.0 GiB are free" in out and "      do: delete old" in out


@pytest.mark.docker
def test_the_real_daemon_says_its_version_and_root() -> None:
    require("docker", daemon_answers(), "no Docker daemon answers")
    seen = daemon()
    assert seen.version[0].isdigit() and seen.root.is_absolute()
