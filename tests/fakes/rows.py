"""What a fake engine says in which releases, as rows; each names the file of the release's wheel that says it too.

Written down apart from the tables under test, so that one mistake does not hide in both. Standard library only.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """From `since` to `until` (both included, None is open) `topic` is `what`.

    Its witness: one of `texts` (`what` itself where none is given) occurs in a file of the wheel whose path matches one
    of the patterns of `files` (fnmatch, separated by `|`), once adjacent string literals are joined. Without `files` the
    row has no witness.
    """

    topic: str
    since: str | None
    until: str | None
    what: str
    files: str = ""
    texts: tuple[str, ...] = ()

    def holds(self, release: str) -> bool:
        found = key(release)
        return (self.since is None or found >= key(self.since)) and (self.until is None or found <= key(self.until))

    @property
    def witness(self) -> tuple[str, ...]:
        return self.texts or (self.what,)


def key(release: str) -> tuple[tuple[int, ...], int]:
    """Sorts releases: `0.5.5.post3` after `0.5.5`, before `0.5.6`. Local parts do not count."""
    match = re.match(r"(\d+(?:\.\d+)*)(?:\.post(\d+))?", release)
    if match is None:
        raise ValueError(f"{release!r} is no release")
    numbers = [int(n) for n in match[1].split(".")]
    return tuple(numbers + [0] * (4 - len(numbers))), int(match[2] or 0)


def whats(rows: Sequence[Row], topic: str, release: str) -> list[str]:
    """All that `topic` is in `release`, in the table's order."""
    return [row.what for row in rows if row.topic == topic and row.holds(release)]


def what(rows: Sequence[Row], topic: str, release: str) -> str:
    """The first of them, empty where there is none."""
    return next(iter(whats(rows, topic, release)), "")
