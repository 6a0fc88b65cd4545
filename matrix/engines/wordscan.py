"""The search for many words at once: by Hyperscan where its package is installed, else by a table of hashes in NumPy.

Both find the same; Hyperscan reads gigabytes a second. Neither is imported before the first search.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Protocol

LEAST = 4
"""Bytes of the shortest word that can be searched for."""


class Words(Protocol):
    """A set of words, each once."""

    def found(self, text: bytes) -> list[tuple[int, int]]:
        """(where a word begins in `text`, its index among the words) of every occurrence, in no order."""


def many_words(words: Sequence[bytes]) -> Words:
    """The fastest search that this machine offers."""
    try:
        return HyperWords(words)
    except ImportError:  # no wheel for this platform, or a processor without SSE 4.2
        from matrix.engines.manywords import ManyWords

        return ManyWords(words)


class HyperWords:
    """Words compiled to one automaton. Raises ImportError where Hyperscan cannot run."""

    def __init__(self, words: Sequence[bytes]) -> None:
        import hyperscan

        self._lengths = list(map(len, words))
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._lock = Lock()  # a database has room for one search at a time
        try:
            self._database.compile(expressions=list(map(_literal, words)), ids=list(range(len(words))))
        except hyperscan.error as error:
            raise ImportError(f"Hyperscan cannot run here: {error}") from error

    def found(self, text: bytes) -> list[tuple[int, int]]:
        """(where a word begins in `text`, its index among the words) of every occurrence, in no order."""
        places: list[tuple[int, int]] = []
        lengths = self._lengths

        def take(index: int, _begin: int, end: int, _flags: int, _context: object) -> None:
            places.append((end - lengths[index], index))

        with self._lock:
            self._database.scan(text, match_event_handler=take)
        return places


def _literal(word: bytes) -> bytes:
    """The word as a pattern: each byte by its number, so that none has a meaning."""
    return b"".join(b"\\x%02x" % byte for byte in word)
