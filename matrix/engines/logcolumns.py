"""Numbers of many records by column: the text between the same two commas of each record.

To split at commas takes a third of the time of a pattern search. It needs records with equally many commas among lines
without any, as in the log of a busy server.
"""

import re
from collections.abc import Collection

_ROOM = 10_000


class UnlikeError(ValueError):
    """The lines are not records with the same columns."""


class Numbers(dict[bytes, float]):
    """Numbers by their text, each made once: logs repeat theirs. `zero` stands in for 0.

    The text has to match `form`, whose first group is the number; raises UnlikeError where it does not.
    """

    def __init__(self, form: bytes, zero: float = 0.0) -> None:
        super().__init__()
        self._form, self._zero = re.compile(form), zero

    def __missing__(self, text: bytes) -> float:
        if len(self) > _ROOM:
            self.clear()
        found = self._form.fullmatch(text)
        if not found:
            raise UnlikeError(text)
        self[text] = number = float(found[1]) or self._zero
        return number


class Counts(dict[bytes, int]):
    """Whole numbers by their digits, each made once."""

    def __missing__(self, text: bytes) -> int:
        if len(self) > _ROOM:
            self.clear()
        self[text] = number = int(text)
        return number


def commas(shapes: Collection[bytes]) -> int:
    """How many commas each of these records has; 0 where they differ."""
    counts = {shape.count(b",") for shape in shapes}
    return counts.pop() if len(counts) == 1 else 0


def columns(data: bytes, per_record: int, heads: tuple[bytes, ...]) -> tuple[list[bytes], ...]:
    """The column that begins with each head, an entry a record. Raises UnlikeError where columns differ in length.

    Each head has the comma before it. A line with another number of commas shifts the columns of those after it, so
    that the caller sees it by what stands in them.
    """
    places = [data.find(head) for head in heads]
    if not per_record or min(places) < 0:
        raise UnlikeError("records without such columns")
    texts = data.split(b",")
    found = tuple(texts[data.count(b",", 0, place + 1) :: per_record] for place in places)
    if any(len(column) * per_record != len(texts) - 1 for column in found):
        raise UnlikeError("another number of commas in some lines")
    return found
