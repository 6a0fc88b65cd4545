"""What of the matrix a page shows: by exact values, and at most so many rows and columns."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from matrix.store.info import SeriesInfo


@dataclass(frozen=True, slots=True)
class Narrow:
    """None does not narrow. `state` keeps the series in which any shown revision has it.

    `revisions` are the newest columns of each engine, `rows` the most series over all engines.
    """

    engine: str | None = None
    target: str | None = None
    draft: str | None = None
    method: str | None = None
    workload: str | None = None
    hardware: str | None = None
    state: str | None = None
    revisions: int = 50
    rows: int = 200

    @property
    def any(self) -> bool:
        """True when some value is asked for."""
        return any(getattr(self, name) is not None for name in (*VALUES, "state"))

    def fitting(self, about: Iterable[SeriesInfo]) -> list[SeriesInfo]:
        """The series that have all values asked for; their states are not looked at."""
        asked = {name: value for name in VALUES if (value := getattr(self, name)) is not None}
        return [info for info in about if all(getattr(info, name) == value for name, value in asked.items())]


_LIMITS = ("state", "revisions", "rows")
VALUES = tuple(f.name for f in fields(Narrow) if f.name not in _LIMITS)
EVERYTHING = Narrow()
