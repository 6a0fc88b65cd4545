"""Words of a launch line as flags with their values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from matrix.engines.launchflags import Flag, find_flag


@dataclass(frozen=True, slots=True)
class Given:
    """One flag as given: `flag` is None for one that the table does not hold; `tail` is the part after a dot."""

    word: str
    flag: Flag | None
    values: tuple[str, ...]
    tail: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def value(self) -> str:
        """The values as one text."""
        return " ".join(self.values)


def read_words(engine: str, words: tuple[str, ...]) -> Iterator[Given]:
    """Flags in their order; a value before any flag is given the empty word."""
    at = 0
    while at < len(words):
        word, equals, value = words[at].partition("=")
        if not _is_flag(word):
            yield Given("", None, (words[at],))
            at += 1
            continue
        name, _, tail = word.partition(".")
        flag, candidates = find_flag(engine, name)
        at += 1
        values: tuple[str, ...] = (value,) if equals else ()
        if not equals and not (flag and flag.bare):
            values = _values(words[at:], many=flag is None or flag.role == "config-list" or flag.name.endswith("-bs"))
            at += len(values)
        yield Given(word, flag, values, tail, candidates)


def _is_flag(word: str) -> bool:
    return re.match(r"--?[A-Za-z]", word) is not None


def _values(words: tuple[str, ...], *, many: bool) -> tuple[str, ...]:
    end = next((at for at, word in enumerate(words) if _is_flag(word)), len(words))
    return words[: end if many else min(end, 1)]
