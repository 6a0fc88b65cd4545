"""What of the matrix a page shows: by exact values, and at most so many rows and columns."""

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

    def fits(self, info: SeriesInfo) -> bool:
        """True for a series that has all values asked for; its states are not looked at."""
        return all(getattr(self, name) in (None, getattr(info, name)) for name in VALUES)


_LIMITS = ("state", "revisions", "rows")
VALUES = tuple(f.name for f in fields(Narrow) if f.name not in _LIMITS)
EVERYTHING = Narrow()
