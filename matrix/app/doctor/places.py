"""Folders and the room in them, the package index, and the clock."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from matrix.app.doctor.asks import Asks
from matrix.app.doctor.finding import Finding, fail, ok, warn
from matrix.core.errors import MatrixError
from matrix.store import state_dir_of

GIB = 2**30
LEAST, FEW = 2 * GIB, 25 * GIB
"""Below the first a run's log or database may not be written; the second holds one image of an engine for GPUs."""

SLOW_S, WRONG_S = 60.0, 600.0
"""The first is told; beyond the second, times of runs and of releases can no longer be compared."""


def folders(asks: Asks, db: str) -> Iterator[Finding]:
    cache = asks.cache()
    yield _writable("cache", cache, "make it yours, or name another with MATRIX_CACHE")
    yield room(asks, "disk of the cache", cache, "delete old environments in it, or move it with MATRIX_CACHE")
    state = state_dir_of(db)
    yield _writable("logs", state, "make it yours, or name another with MATRIX_HOME")
    yield room(asks, "disk of database and logs", state, "free space on it, or move both")
    yield _hub(asks)


def room(asks: Asks, check: str, folder: Path, fix: str) -> Finding:
    free = asks.free(folder)
    text = f"{free / GIB:.1f} GiB are free at {folder}"
    if free < LEAST:
        return fail(check, text, fix)
    return warn(check, f"{text}, less than one GPU image takes", fix) if free < FEW else ok(check, text)


def _writable(check: str, folder: Path, fix: str) -> Finding:
    """Tried by writing, since permissions do not tell of read-only mounts; where nothing is yet, one level above."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"x")
    except OSError as error:
        return fail(check, f"{folder} cannot be written: {error.strerror or error}", fix)
    return ok(check, f"{folder} can be written")


def _hub(asks: Asks) -> Finding:
    folder = asks.hub()
    found = _writable("model hub cache", folder, "make it yours, or name another with HF_HOME")
    return found if found.fix else room(asks, "model hub cache", folder, "delete models there, or move it with HF_HOME")


def index(asks: Asks) -> Iterator[Finding]:
    """The index, and by its answer the clock."""
    settings = asks.settings()
    if settings.no_index:
        yield ok("package index", "none is used (no-index); wheels come from find-links")
        return
    before = asks.now()
    try:
        theirs = asks.index_clock(settings)
    except MatrixError as error:
        yield fail("package index", error.cause, error.hint)
        return
    yield ok("package index", "answers")
    if theirs is not None:
        yield clock(theirs - (before + asks.now()) / 2)


def clock(ahead: float) -> Finding:
    """`ahead`: by how many seconds the index's clock is ahead of ours."""
    text = f"{abs(ahead):.0f} s {'behind' if ahead > 0 else 'ahead of'} the package index"
    fix = "let the system keep its clock by NTP (`timedatectl set-ntp true`)"
    if abs(ahead) > WRONG_S:
        return fail("clock", text, fix)
    return warn("clock", text, fix) if abs(ahead) > SLOW_S else ok("clock", "agrees with the package index")
