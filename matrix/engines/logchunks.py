"""The bytes of a log in bounded pieces: cut so that text which repeats itself comes in equal pieces."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from matrix.engines.hot import is_junk

CHUNK = 1 << 17
LONGEST = 1 << 16
"""Bytes kept of one line; the rest of a longer one is passed over."""
_HEAD = 64
"""Bytes of a chunk's beginning whose return may be a period."""
_TRIES = 400
_PATIENCE = 32
"""Chunks between two searches for a period, where none was found in the last ones."""


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a log, about an eighth of a MiB at a time; of a line that no chunk can hold its first 64 KiB.

    NUL bytes are dropped: a crash of the machine leaves them, and UTF-16 without them is text.
    """
    return _aligned(_read(stream))


def _aligned(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes; where they repeat themselves, cut after whole periods, so that the pieces are equal."""
    rest, wait, patience = b"", 0, 1
    for more in pieces:
        piece, rest, wait = rest + more, b"", wait - 1
        if period := 0 if wait > 0 else _period(piece):
            size = CHUNK // period * period
            ends = range(size, len(piece) + 1, size)
            yield from (piece[end - size : end] for end in ends)
            rest, patience = piece[len(ends) * size :], 1
        else:
            if wait <= 0:
                wait = patience = min(2 * patience, _PATIENCE)
            yield piece
    if rest:
        yield rest


def _period(piece: bytes) -> int:
    """After how many bytes the whole piece repeats itself, at least twice in a chunk; 0 where it does not."""
    head, place = piece[:_HEAD], 0
    for _ in range(_TRIES):
        place = piece.find(head, place + 1, CHUNK // 2 + _HEAD)
        if place < 0 or len(piece) < CHUNK // 2:
            return 0
        if piece.startswith(piece[place : place + 16 * _HEAD]) and piece.startswith(piece[place:]):
            return place
    return 0


def _read(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a log, an eighth of a MiB at a time; of a line that no chunk can hold its first 64 KiB.

    NUL bytes are dropped: a crash of the machine leaves them, and UTF-16 without them is text.
    """
    unended = 0
    while chunk := stream.read(CHUNK):
        if b"\0" in chunk:
            chunk = chunk.replace(b"\0", b"")
        if unended == LONGEST:
            end = chunk.find(b"\n")
            if end < 0:
                continue
            chunk = chunk[end:]
        last = chunk.rfind(b"\n")
        unended = len(chunk) - last - 1 + (unended if last < 0 else 0)
        if unended > LONGEST:
            chunk, unended = chunk[: len(chunk) - unended + LONGEST], LONGEST
        yield chunk


def without_junk(whole: bytes) -> bytes:
    """The same lines, of which those of binary junk are empty; what follows the last line break may be a part."""
    *lines, rest = whole.split(b"\n")
    return b"\n".join([*(line if line.isascii() or not is_junk(line) else b"" for line in lines), rest])
