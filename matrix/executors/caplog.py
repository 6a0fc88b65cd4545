"""A log file that never grows beyond its cap while it is written: its head and its tail stay, the middle goes."""

import os
from pathlib import Path
from typing import BinaryIO, Final

MIB = 2**20
CAP: Final = 256 * MIB
_BLOCK = MIB


class CappedLog:
    """Appends to `path`, of which at most `cap` bytes are kept, besides a line that says how many bytes went.

    A file that is full is written anew and takes the old one's place, so that a reader always finds a whole one, and up
    to twice the cap is on the disk for that moment. A quarter of the cap is the head, since the configuration stands
    there; of the rest the newest third stays, since the cause stands at the end. So n bytes cost 2 n of writing.
    """

    def __init__(self, path: Path, cap: int = CAP) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._cap = cap
        self._file = path.open("ab", buffering=0)
        self._size = self._seen = os.fstat(self._file.fileno()).st_size
        self._head: int | None = None

    def write(self, data: bytes) -> None:
        """Append; raises OSError, with the file's name, when the disk does not take it."""
        try:
            self._append(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None

    def _append(self, data: bytes) -> None:
        rest = memoryview(data)
        self._seen += len(rest)
        while rest:
            if self._size >= self._cap:
                self._cut(waiting=len(rest))
            done = self._file.write(rest[: self._cap - self._size])
            self._size += done
            rest = rest[done:]

    def close(self) -> None:
        self._file.close()

    def _cut(self, waiting: int) -> None:
        part = self._path.with_name(f"{self._path.name}.part")
        with self._path.open("rb") as old:
            if self._head is None:
                self._head = _line_end_before(old, self._cap // 4)
            start = _line_start_after(old, self._size - self._cap // 4)
            kept = self._head + self._size - start
            new = part.open("wb", buffering=0)
            try:
                _copy(old, new, 0, self._head)
                new.write(_gap(self._seen - waiting - kept, self._seen - waiting))
                _copy(old, new, start, self._size)
                part.replace(self._path)
            except BaseException:
                new.close()
                part.unlink(missing_ok=True)
                raise
        self._file.close()
        self._file = new
        self._size = new.tell()


def _gap(gone: int, seen: int) -> bytes:
    return f"\n[{gone} of {seen} bytes are cut out here]\n".encode()


def _line_end_before(file: BinaryIO, end: int) -> int:
    """Where the last line that is whole before `end` ends; `end` where no line ends near."""
    begin = max(end - _BLOCK, 0)
    file.seek(begin)
    newline = file.read(end - begin).rfind(b"\n")
    return begin + newline + 1 if newline >= 0 else end


def _line_start_after(file: BinaryIO, start: int) -> int:
    file.seek(start)
    newline = file.read(_BLOCK).find(b"\n")
    return start + newline + 1 if newline >= 0 else start


def _copy(old: BinaryIO, new: BinaryIO, start: int, end: int) -> None:
    old.seek(start)
    while start < end:
        block = memoryview(old.read(min(_BLOCK, end - start)))
        start += len(block)
        while block:
            block = block[new.write(block) :]
