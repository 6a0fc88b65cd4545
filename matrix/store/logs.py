"""Logs as files named by their content: `logs/ab/abcd….gz` under the state folder, capped, without secrets."""

import gzip
import hashlib
import mmap
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from matrix.core.errors import InfraError, NotFoundError, Where
from matrix.store.redact import hide, redact
from matrix.store.terminal import strip_controls

CAP = 8 * 2**20
# Longest secret that a cut may meet, and how far from the cut a line's end is looked for.
_MARGIN = 4096
_CUT = re.compile(rb"\n\[(\d{1,18}) of \d{1,18} bytes are cut out here\]\n")
_REF = re.compile(r"[0-9a-f]{64}")


class Logs:
    """The log files of one state folder. Two equal logs are one file; a file once written is never changed."""

    def __init__(self, state_dir: Path) -> None:
        self._root = state_dir / "logs"

    def keep(self, path: Path, cap: int = CAP, secrets: Sequence[str] = ()) -> tuple[str, int]:
        """Store the log at `path`; returns its reference and the kept size in bytes, before compression.

        Of a log longer than `cap` bytes the head and the tail are kept, with a line between saying what is missing.
        `secrets` are values to take out besides what looks like one.
        NotFoundError when there is no such file, InfraError when it cannot be read or written.
        """
        with _explained(path):
            data = hide(_read_capped(path, cap), secrets).encode()
        ref = hashlib.sha256(data).hexdigest()
        target = self._path(ref)
        with _explained(target):
            if not target.exists():
                _write_atomically(target, gzip.compress(data, compresslevel=6, mtime=0))
        return ref, len(data)

    def read(self, ref: str) -> str:
        """The text kept as `ref`; NotFoundError when this state folder does not hold it."""
        path = self._path(ref)
        with _explained(path):
            return gzip.decompress(path.read_bytes()).decode()

    def _path(self, ref: str) -> Path:
        if not _REF.fullmatch(ref):
            raise NotFoundError(f"{ref!r} is not a log reference", hint="take it from `matrix results --json`")
        return self._root / ref[:2] / f"{ref}.gz"


def _read_capped(path: Path, cap: int) -> str:
    cap = max(cap, 4 * _MARGIN)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= cap:
            return _clean(file.read(cap))
        head, head_end = _head(file, cap // 2)
        tail, tail_start = _tail(file, size, cap // 2)
        before = _cut_before(file, head_end, tail_start)
    return f"{head}\n[{tail_start - head_end + before} of {size + before} bytes are cut out here]\n{tail}"


def _cut_before(file: BinaryIO, start: int, end: int) -> int:
    """Bytes that the part from `start` to `end` says were cut out of it while it was written."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        found = _CUT.search(whole, start, end)
        return int(found[1]) - (found.end() - found.start()) if found else 0


def _head(file: BinaryIO, end: int) -> tuple[str, int]:
    """Text up to `end` or the last line's end before it, and that position."""
    block = file.read(end + _MARGIN)
    newline = block.rfind(b"\n", max(end - _MARGIN, 0), end)
    if newline >= 0:
        return _clean(block[:newline]), newline + 1
    # No line ends near: a secret that straddles the end of the block lies in its last bytes, which are dropped.
    return _clean(block)[:-_MARGIN], end


def _tail(file: BinaryIO, size: int, length: int) -> tuple[str, int]:
    """Text of the last `length` bytes, from the first line's start in it where one is near, and that position."""
    start = size - length
    file.seek(start - _MARGIN)
    block = file.read(length + _MARGIN)
    newline = block.find(b"\n", _MARGIN, 2 * _MARGIN)
    if newline >= 0:
        return _clean(block[newline + 1 :]), start - _MARGIN + newline + 1
    return _clean(block)[_MARGIN:], start


def _clean(block: bytes) -> str:
    return redact(strip_controls(block.decode("utf-8", "replace")))


def _write_atomically(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(
            "there is no such log",
            hint="it may lie under another MATRIX_HOME, or it gave way to the disk budget",
            where=_at(path),
        ) from error
    except (gzip.BadGzipFile, EOFError) as error:
        raise InfraError(
            "the log file is damaged", hint="delete it; the run's excerpt is kept", where=_at(path)
        ) from error
    except OSError as error:
        hint = "free space or make the folder writable, then run the same command again"
        raise InfraError(f"cannot keep or read the log: {error.strerror}", hint=hint, where=_at(path)) from error


def _at(path: Path) -> Where:
    return Where(file=str(path))
