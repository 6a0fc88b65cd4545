"""Patterns that are compiled when they are first needed, and tried only on a text that holds one of their words.

A log without a failure needs none of the failure table, and most failures few of its rows.
"""

import re
from functools import cached_property

from matrix.engines.patternwords import needed


class Lazy:
    """A pattern with the methods of a compiled one that are needed here."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.text)

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return needed(self.text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place of `text` that matches."""
        return self._compiled.search(text) if any(map(text.__contains__, self._words)) else None

    def match(self, text: str) -> re.Match[str] | None:
        """Whether `text` begins with a match."""
        return self._compiled.match(text)
