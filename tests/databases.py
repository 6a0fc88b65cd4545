"""Databases to test with: SQLite in a temporary folder, and PostgreSQL where it can be started."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from matrix.store import open_store
from matrix.store.tables import metadata
from tests.require import require
from tests.store import postgres

KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
on_both = pytest.mark.parametrize("database", KINDS, indirect=True)
"""For tests (or, as `pytestmark`, modules) whose store is to be tried on both databases."""


@pytest.fixture(scope="session")
def pg_socket() -> Iterator[str]:
    reason = postgres.missing()
    require("postgres", reason is None, reason or "")
    with postgres.server() as folder:
        yield folder


@pytest.fixture(scope="session")
def pg_shared(pg_socket: str) -> str:
    """The URL of one migrated database that tests use in turn; a new database for each would cost a second."""
    _admin(pg_socket, "CREATE DATABASE shared")
    url = f"postgresql://postgres@/shared?host={pg_socket}"
    open_store(url).close()
    return url


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


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a migrated, empty database: SQLite, or what `on_both` says."""
    yield from prepared(request, getattr(request, "param", "sqlite"))


def prepared(request: pytest.FixtureRequest, kind: str) -> Iterator[str]:
    """The URL of a migrated, empty database of this kind; PostgreSQL's is emptied again afterwards."""
    if kind == "sqlite":
        url = str(request.getfixturevalue("sqlite_url"))
        shutil.copy(request.getfixturevalue("migrated"), url.removeprefix("sqlite:///"))
        yield url
        return
    shared = str(request.getfixturevalue("pg_shared"))
    yield shared
    _empty(shared)


@pytest.fixture(params=KINDS)
def empty_url(request: pytest.FixtureRequest) -> str:
    """The URL of a database without tables, on both."""
    return str(request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "pg_url"))


def _empty(url: str) -> None:
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as conn:
        conn.execute(
            text("SET LOCAL lock_timeout = '60s'")
        )  # a test that left a transaction open is told, not waited for
        conn.execute(text(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY CASCADE"))
    engine.dispose()


def _admin(socket: str, statement: str) -> None:
    engine = create_engine(f"postgresql+psycopg://postgres@/postgres?host={socket}", isolation_level="AUTOCOMMIT")
    with engine.connect() as conn:
        conn.execute(text(statement))
    engine.dispose()
