"""Finds many words in a text at once, at a cost that depends neither on their number nor on how often lines repeat.

Of each word the rarest four bytes are looked up at every place of the text (a table of their hashes, as Wu and Manber's
search has one of blocks); only where they stand is the word itself compared.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matrix.engines.wordscan import LEAST

GRAM = LEAST
_BITS = 18
_SPREAD = np.uint32(2654435761)
"""Knuth's multiplicative hash: 2**32 divided by the golden ratio."""
_COMMON = b"etaonisrhldcumfpgwybvk,.:-_\"/'(=)xjqz"
"""Bytes from the most to the least frequent in lower-case English and log text."""
_SPACE = -6
_ORDINARY = b"EngineCore_engine.py: INFO ERROR Error: server The the request known nothing comp cuda exec version"
"""Grams of these stand in most logs: they are chosen last."""
_LAST = -100


class ManyWords:
    """A set of words of four bytes or more."""

    def __init__(self, words: Sequence[bytes]) -> None:
        self.words = tuple(words)
        if short := [word for word in self.words if len(word) < GRAM]:
            raise ValueError(f"words shorter than {GRAM} bytes: {short}")

    @cached_property
    def _grams(self) -> dict[bytes, list[tuple[int, int]]]:
        """By gram, its place in each word that it stands for, and that word's index."""
        found: dict[bytes, list[tuple[int, int]]] = {}
        for index, word in enumerate(self.words):
            place = max(range(len(word) - GRAM + 1), key=lambda i: _rarity(word[i : i + GRAM]))
            found.setdefault(word[place : place + GRAM], []).append((place, index))
        return found

    @cached_property
    def _table(self) -> NDArray[np.bool_]:
        table = np.zeros(1 << _BITS, np.bool_)
        table[_hashed(np.frombuffer(b"".join(self._grams), "<u4"))] = True
        return table

    def found(self, text: bytes) -> list[tuple[int, int]]:
        """(where a word begins in `text`, its index among the words) of every occurrence, in no order."""
        grams, found = self._grams, []
        for place in self._likely(text):
            for before, index in grams.get(text[place : place + GRAM], ()):
                if text.startswith(self.words[index], place - before) and place >= before:
                    found.append((place - before, index))
        return found

    def _likely(self, text: bytes) -> list[int]:
        places: list[int] = []
        for start in range(min(GRAM, max(len(text) - GRAM + 1, 0))):
            blocks = np.frombuffer(text, "<u4", (len(text) - start) // GRAM, start)
            places += (np.flatnonzero(self._table[_hashed(blocks)]) * GRAM + start).tolist()
        return places


def _hashed(blocks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return (blocks * _SPREAD) >> np.uint32(32 - _BITS)


def _rarity(gram: bytes) -> int:
    """How seldom these bytes stand together, roughly: the sum of their places in the order of frequency."""
    if gram in _ORDINARY:
        return _LAST
    return sum(_SPACE if byte == 32 else place if (place := _COMMON.find(byte)) >= 0 else len(_COMMON) for byte in gram)
