"""Opening a database: made and migrated, or one clear error."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError, InfraError, MatrixError, NotFoundError
from matrix.store import open_store
from tests.store.build import cell, run, sample
from tests.store.mounts import can_mount


def test_the_first_opening_makes_the_database_and_the_second_finds_its_runs(sqlite_url: str) -> None:
    first = open_store(sqlite_url)
    first.runs.save(run("r", cell(), sample()))
    first.close()
    assert [row.run_id for row in open_store(sqlite_url, must_exist=True).read.results()] == ["r"]


def test_sqlite_is_safe_against_power_loss_and_readers_beside_a_writer(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with store._db.read() as conn:
        found = {name: conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")}
        assert conn.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    assert found == {"journal_mode": "wal", "synchronous": 2}


def test_a_missing_file_is_not_made_when_it_must_exist(tmp_path: Path) -> None:
    path = tmp_path / "matrix.db"
    with pytest.raises(NotFoundError, match=rf"{re.escape(str(path))}: .*run `matrix sweep` first"):
        open_store(f"sqlite:///{path}", must_exist=True)
    assert not path.exists()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("matrix.db", "write sqlite:///matrix.db"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("mysql://h/d", "'mysql' are not supported"),
        ("sqlite:////nowhere-at-all/x.db", "its folder does not exist"),
        ("sqlite:////", "is a folder"),
        ("", "not a database URL"),
    ],
)
def test_a_url_that_names_no_usable_database_is_a_usage_error(url: str, says: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(says)):
        open_store(url)


def test_a_file_that_is_no_database_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("plain words, long enough to be read as a header\n" * 40)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"notes\.txt: is not a SQLite database"):
        open_store(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_another_programs_database_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    with pytest.raises(ConfigError, match=r"another program.*'bookmarks'"):
        open_store(f"sqlite:///{path}")
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]
    assert other.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_newer_schema_is_refused_and_named(tmp_path: Path, sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    newer = sqlite3.connect(tmp_path / "matrix.db")
    newer.execute("UPDATE matrix_schema SET version_num = '9042'")
    newer.commit()
    newer.close()
    with pytest.raises(ConfigError, match=r"schema '9042' is newer.*upgrade specmatrix"):
        open_store(sqlite_url)


def test_a_locked_database_says_so_after_the_wait(tmp_path: Path, sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    holder = sqlite3.connect(tmp_path / "matrix.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    store = open_store(f"{sqlite_url}?timeout=0.1")
    with pytest.raises(InfraError, match="another process has kept the database locked"):
        store.runs.save(run("r", cell(), sample()))
    assert list(store.read.results()) == []
    holder.execute("ROLLBACK")
    store.runs.save(run("r", cell(), sample()))
    assert [row.run_id for row in store.read.results()] == ["r"]


def test_a_read_only_place_names_the_file_and_the_way_out(tmp_path: Path) -> None:
    can_mount()
    (tmp_path / "place").mkdir()
    result = subprocess.run(
        [
            *("unshare", "-m", "sh", "-c"),
            'mount -t tmpfs -o ro tmpfs "$1" && exec "$2" -m tests.store.child open "sqlite:///$1/m.db"',
            *("sh", str(tmp_path / "place"), sys.executable),
        ],
        capture_output=True,
        text=True,
    )
    assert result.stdout.startswith("InfraError"), result
    assert re.search(r"place/m\.db: .*cannot be (opened|written).*--db", result.stdout)


def test_an_unreachable_server_is_an_infra_error_without_its_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(InfraError) as caught:
        open_store(f"postgresql://me:topsecret@/db?host={tmp_path}")
    assert "cannot be reached" in str(caught.value)
    assert "topsecret" not in str(caught.value)


@pytest.mark.postgres
def test_a_database_or_user_the_server_lacks_is_named_as_such(pg_socket: str) -> None:
    with pytest.raises(ConfigError, match="no such database"):
        open_store(f"postgresql://postgres@/nowhere?host={pg_socket}")
    with pytest.raises(ConfigError, match="does not know this user"):
        open_store(f"postgresql://stranger@/postgres?host={pg_socket}")


def test_a_damaged_database_is_said_to_be_damaged(tmp_path: Path, sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    store.runs.save(run("r", cell(), sample()))
    store.close()
    path = tmp_path / "matrix.db"
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(MatrixError) as caught:
        list(open_store(sqlite_url).read.results())
    assert "damaged" in str(caught.value)


def test_processes_that_open_a_new_database_at_once_all_succeed(tmp_path: Path, sqlite_url: str) -> None:
    children = [
        subprocess.Popen([sys.executable, "-m", "tests.store.child", "open", sqlite_url], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [child.communicate()[0] for child in children] == [b"opened\n"] * 3


def test_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_url: str) -> None:
    assert open_store(sqlite_url).state_dir == tmp_path / ".matrix"
    monkeypatch.chdir(tmp_path)
    assert open_store("sqlite:///m.db").state_dir == tmp_path / ".matrix"
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    assert open_store(sqlite_url).state_dir == tmp_path / "home"


def test_opening_again_does_not_import_alembic(sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    code = (
        f"import sys; from matrix.store import open_store; open_store({sqlite_url!r}); print('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_nothing_is_written_to_a_database_that_was_removed(sqlite_url: str, tmp_path: Path) -> None:
    store = open_store(sqlite_url)
    store.runs.save(run("r1", cell(), sample()))
    file = next(tmp_path.rglob("*.db"))
    for part in file.parent.glob(f"{file.name}*"):
        part.unlink()
    with pytest.raises(InfraError, match="was removed while it was in use"):
        store.runs.save(run("r2", cell("2.0.0"), sample()))
    with pytest.raises(InfraError, match="was removed"):
        store.read.overview()
    assert not file.exists()
    store.close()


def test_a_database_made_anew_is_read_but_not_written_by_those_who_had_the_old_one(
    sqlite_url: str, tmp_path: Path
) -> None:
    store = open_store(sqlite_url)
    store.runs.save(run("old", cell(), sample()))
    file = next(tmp_path.rglob("*.db"))
    for part in file.parent.glob(f"{file.name}*"):
        part.rename(part.with_name(f"kept-{part.name}"))
    other = open_store(sqlite_url)
    other.runs.save(run("new", cell(), sample()))
    assert [row.run_id for row in store.read.results()] == ["new"]
    for _ in range(2):
        with pytest.raises(InfraError, match="was replaced"):
            store.runs.save(run("r2", cell("2.0.0"), sample()))
    other.close()
    store.close()
