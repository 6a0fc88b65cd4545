"""A backup of a SQLite file that others write to is whole, and restores by copying."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from matrix.app.backup import write_backup
from matrix.core.errors import ConfigError
from matrix.store import open_store
from tests.store.build import cell, run, sample


def test_a_backup_made_while_runs_are_stored_holds_whole_runs_with_their_logs(sqlite_url: str, tmp_path: Path) -> None:
    store, over = open_store(sqlite_url), threading.Event()
    begun = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            log = tmp_path / "server.log"
            log.write_text(f"log of {number}\n")
            ref, size = store.logs.keep(log)
            store.runs.save(run(f"r{number}", cell(), sample()), log_ref=ref, log_bytes=size)
            number += 1
            begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(60)
        done = [write_backup(store, tmp_path / "backup.db") for _ in range(3)][-1]
    finally:
        over.set()
        writer.join()
    there = tmp_path / "there"
    there.mkdir()
    shutil.copy(done.file, there / "matrix.db")
    shutil.copytree(done.logs, there / ".matrix" / "logs")
    copied = open_store(f"sqlite:///{there}/matrix.db")
    rows = [row.run_id for row in copied.read.results()]
    assert rows and rows == [f"r{number}" for number in range(len(rows))]
    for number, row in enumerate(rows):
        view = copied.read.run(row)
        assert len(view.samples) == 1 and view.log_ref is not None
        assert copied.logs.read(view.log_ref) == f"log of {number}\n"
    with copied._db.read() as conn:
        assert conn.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    copied.close()
    store.close()


def test_nothing_else_is_replaced(sqlite_url: str, tmp_path: Path) -> None:
    store = open_store(sqlite_url)
    (tmp_path / "notes").write_text("mine")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE bookmarks (x)")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "away")
    refused = {
        "notes": "no backup",
        "other.db": "no backup",
        "pipe": "no plain file",
        "link": "no plain file",
        "matrix.db": "the database itself",
        "matrix.db-wal": "the database itself",
        "matrix.db-journal": "the database itself",
        "none/b.db": "does not exist",
    }
    for name, cause in refused.items():
        with pytest.raises(ConfigError, match=cause):
            write_backup(store, tmp_path / name)
    assert (tmp_path / "notes").read_text() == "mine" and store.read.latest_sweep() is None
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink() and not (tmp_path / "away").exists()
    store.close()


@pytest.mark.postgres
def test_a_server_makes_its_own(pg_url: str, tmp_path: Path) -> None:
    store = open_store(pg_url)
    with pytest.raises(ConfigError, match="server") as caught:
        write_backup(store, tmp_path / "b.db")
    assert "pg_dump" in (caught.value.hint or "") and list(tmp_path.glob("*b.db*")) == []
    store.close()
