"""Patterns that are compiled when they are first used: a log without a failure needs none of the failure table."""

import re


class Lazy:
    """A pattern with the methods of a compiled one that are needed here."""

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        if self._compiled is None:
            self._compiled = re.compile(self.text)
        return self._compiled

    def search(self, text: str) -> re.Match[str] | None:
        """The first place of `text` that matches."""
        return self.compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Whether `text` begins with a match."""
        return self.compiled.match(text)
