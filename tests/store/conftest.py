"""Stores to test with: SQLite in a temporary folder, and PostgreSQL where it can be started."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from matrix.store import Store, open_store
from matrix.store.tables import metadata
from tests.require import require
from tests.store import postgres


@pytest.fixture(scope="session")
def pg_socket() -> Iterator[str]:
    reason = postgres.missing()
    require("postgres", reason is None, reason or "")
    with postgres.server() as folder:
        yield folder


@pytest.fixture(scope="session")
def pg_shared(pg_socket: str) -> str:
    """The URL of one database that all tests use in turn; a new database for each would cost a second."""
    _admin(pg_socket, "CREATE DATABASE shared")
    return f"postgresql://postgres@/shared?host={pg_socket}"


@pytest.fixture
def pg_url(pg_socket: str) -> Iterator[str]:
    """The URL of a new, empty database."""
    name = f"t{uuid4().hex}"
    _admin(pg_socket, f"CREATE DATABASE {name}")
    yield f"postgresql://postgres@/{name}?host={pg_socket}"
    _admin(pg_socket, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty, migrated SQLite file to copy: migrating anew for each test would take most of its time."""
    path = tmp_path_factory.mktemp("migrated") / "matrix.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/matrix.db"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest) -> str:
    """Every test that asks for it (or for `store`) runs on both databases; both are empty and migrated."""
    if request.param == "postgres":
        return str(request.getfixturevalue("pg_shared"))
    sqlite: str = request.getfixturevalue("sqlite_url")
    shutil.copy(request.getfixturevalue("migrated"), sqlite.removeprefix("sqlite:///"))
    return sqlite


@pytest.fixture
def store(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    opened = open_store(url)
    yield opened
    if url.startswith("postgresql"):
        with opened._db.write() as conn:
            conn.exec_driver_sql(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY CASCADE")
    opened.close()


def _admin(socket: str, statement: str) -> None:
    engine = create_engine(f"postgresql+psycopg://postgres@/postgres?host={socket}", isolation_level="AUTOCOMMIT")
    with engine.connect() as conn:
        conn.execute(text(statement))
    engine.dispose()
