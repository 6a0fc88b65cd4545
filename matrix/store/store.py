"""The store: one database with the logs beside it."""

import os
from collections.abc import Callable
from pathlib import Path

from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.store.acks import Acks
from matrix.store.artifacts import Artifacts
from matrix.store.backup import copy_file
from matrix.store.bisections import Bisections
from matrix.store.compare import Compare
from matrix.store.database import make_engine, parse_url, place_of, sqlite_path
from matrix.store.dump import Dump
from matrix.store.evidence import EvidenceReader
from matrix.store.failures import translated
from matrix.store.gauges import Gauges
from matrix.store.jobs import Job
from matrix.store.judged import Judged
from matrix.store.leases import Leases
from matrix.store.logs import Logs
from matrix.store.lost import requeue_lost
from matrix.store.mark import FileMark, ServerMark
from matrix.store.memory import Memory
from matrix.store.messages import Messages
from matrix.store.migrate import migrate
from matrix.store.published import Published
from matrix.store.queue import Queue
from matrix.store.read import Read
from matrix.store.reports import Reports
from matrix.store.runs import Runs
from matrix.store.samefile import SameFile
from matrix.store.series import Series
from matrix.store.service import Service
from matrix.store.sweeps import Sweeps
from matrix.store.ticks import Ticks
from matrix.store.tokens import Tokens
from matrix.store.transactions import Transactions


class Store:
    """`sweeps` and `queue` for those who measure, `runs`, `series` and `judged` for those who compare, `memory` for the
    judge, `read` for those who show, `compare` for those who explain, `bisections` for those who search, `evidence` for
    those who ask which version works; `acks`, `published` and `reports` hold what people said; `mark` tells those who
    keep what they read when it has changed; `dump` writes all of it to a file.

    Safe to share between threads; each process opens its own.
    """

    def __init__(self, db: Transactions, state_dir: Path, file: Path | None = None) -> None:
        self._db = db
        self.file = file
        self.place = db.place
        self.state_dir = state_dir
        self.logs = Logs(state_dir)
        self.sweeps = Sweeps(db)
        self.ticks = Ticks(db)
        self.queue = Queue(db)
        self.runs = Runs(db)
        self.series = Series(db)
        self.judged = Judged(db)
        self.memory = Memory(db)
        self.read = Read(db)
        self.compare = Compare(db)
        self.acks = Acks(db)
        self.artifacts = Artifacts(db)
        self.bisections = Bisections(db)
        self.leases = Leases(db)
        self.tokens = Tokens(db)
        self.published = Published(db)
        self.reports = Reports(db)
        self.evidence = EvidenceReader(db)
        self.mark = FileMark(file) if file else ServerMark(db)
        self.service = Service(db)
        self.messages = Messages(db)
        self.gauges = Gauges(db)
        self.dump = Dump(db)

    def requeue_lost(self, is_alive: Callable[[str], bool]) -> list[Job]:
        """Take back the jobs of dead owners: see `matrix.store.lost.requeue_lost`."""
        return requeue_lost(self._db, is_alive)

    def backup(self, to: Path) -> None:
        """Copy the SQLite file to `to` while it is in use: see `matrix.store.backup.copy_file`."""
        copy_file(self._db, self.file, to)

    def close(self) -> None:
        """Close all connections."""
        self.mark.close()
        self._db.close()


def open_store(url: str, *, must_exist: bool = False) -> Store:
    """Open the database, making it and bringing its schema up to date as needed.

    Raises NotFoundError when `must_exist` and there is no such SQLite file; ConfigError for what is no database of ours
    or has a newer schema; InfraError when it is locked, cannot be written, reached, or the disk is full.
    """
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None:
        _check_file(path, must_exist=must_exist)
    engine, place = make_engine(parsed), place_of(parsed)
    try:
        with translated(place):
            migrate(engine, place)
    except BaseException:
        engine.dispose()
        raise
    file = SameFile(path) if path is not None else None
    return Store(Transactions(engine, place, file), _state_dir(path), path)


def state_dir_of(url: str) -> Path:
    """The folder for logs and notes that belongs to the database at `url`, which need not exist yet."""
    return _state_dir(sqlite_path(parse_url(url)))


def _check_file(path: Path, *, must_exist: bool) -> None:
    where = Where(file=str(path))
    if path.is_dir():
        raise ConfigError("is a folder, not a database file", hint="name a file with --db", where=where)
    if path.exists():
        return
    if must_exist:
        raise NotFoundError("there is no such database", hint="run `matrix sweep` first", where=where)
    if not path.parent.is_dir():
        raise ConfigError("its folder does not exist", hint=f"make it: mkdir -p {path.parent}", where=where)


def _state_dir(path: Path | None) -> Path:
    """`MATRIX_HOME`, else `.matrix` beside the SQLite file, else `.matrix` in the working folder."""
    if home := os.environ.get("MATRIX_HOME"):
        return Path(home)
    return (path.parent if path else Path.cwd()).resolve() / ".matrix"
