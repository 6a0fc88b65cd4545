"""Backups of a SQLite database as a file: written whole or not at all, and never over a file of something else."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from matrix.app.writing import kept_whole
from matrix.core.errors import ConfigError, Where
from matrix.store import Store
from matrix.store.backup import is_backup


@dataclass(frozen=True, slots=True)
class Backup:
    """`file` holds `bytes`; each log that its rows name lies in `logs`, to be copied after it."""

    file: str
    bytes: int
    logs: str


def write_backup(store: Store, path: Path) -> Backup:
    """Copy the database to `path`, in place of an older backup.

    ConfigError for the database itself, for another file or no folder there, and for a database on a server.
    """
    _check(store, path)
    with kept_whole(path):
        return _write(store, path)


def _write(store: Store, path: Path) -> Backup:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        store.backup(Path(name))
        os.fsync(handle)
        size = os.fstat(handle).st_size
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    return Backup(str(path), size, str(store.state_dir / "logs"))


def _check(store: Store, path: Path) -> None:
    where = Where(str(path))
    if not path.parent.is_dir():
        raise ConfigError("its folder does not exist", hint=f"make it: mkdir -p {path.parent}", where=where)
    if path.is_dir():
        raise ConfigError("it is a folder", hint="name a file", where=where)
    if store.file is not None and path.resolve() in _of_database(store.file.resolve()):
        raise ConfigError("it belongs to the database itself", hint="name another file", where=where)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ConfigError("it is there and is no plain file", hint="name another file", where=where)
    if path.exists() and path.stat().st_size and not is_backup(path):
        raise ConfigError("it is there and is no backup", hint="name another file", where=where)


def _of_database(file: Path) -> set[Path]:
    """The database's own files: SQLite keeps what is not in the first yet in the others, and removes them."""
    return {file.with_name(file.name + end) for end in ("", "-wal", "-shm", "-journal")}
