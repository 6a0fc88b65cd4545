"""Dumps as files: written whole or not at all, and never over a file that is no dump."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from matrix.app.writing import kept_whole
from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.store import Store, is_dump


@dataclass(frozen=True, slots=True)
class Done:
    """`rows` of all tables together."""

    file: str
    rows: int


def write_dump(store: Store, path: Path) -> Done:
    """Write the database to `path`, in place of an older dump; ConfigError for another file or no folder there."""
    _check(path)
    with kept_whole(path):
        return _write(store, path)


def _write(store: Store, path: Path) -> Done:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            rows = store.dump.write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Done(str(path), rows)


def restore_dump(store: Store, path: Path) -> Done:
    """Fill the empty database from a dump; NotFoundError for no file, ConfigError for what is no dump."""
    if not path.is_file():
        raise NotFoundError("there is no such file", hint="check the path", where=Where(str(path)))
    with path.open("rb") as file:
        return Done(str(path), store.dump.restore(file, str(path)))


def _check(path: Path) -> None:
    where = Where(str(path))
    if not path.parent.is_dir():
        raise ConfigError("its folder does not exist", hint=f"make it: mkdir -p {path.parent}", where=where)
    if path.is_dir():
        raise ConfigError("it is a folder", hint="name a file", where=where)
    if path.exists():
        with path.open("rb") as file:
            if path.stat().st_size and not is_dump(file):
                raise ConfigError("it is there and is no dump", hint="name another file", where=where)
