"""An acknowledgement: somebody has seen a regression, and it need not fail a check for now."""

from dataclasses import dataclass
from enum import StrEnum

from matrix.core.state import State


class Scope(StrEnum):
    """What an acknowledgement covers: one flip, all flips of its cause, or whatever stands in its series."""

    CELL = "cell"
    GROUP = "group"
    SERIES = "series"


@dataclass(frozen=True, slots=True)
class Ack:
    """`metric` and `to_revision` name the flip; both are None for a series.

    It holds until `until` (Unix seconds, None for good), until it is removed, and while the state is no worse than
    `state`, the one that was acknowledged.
    """

    series_key: str
    scope: Scope
    state: State
    reason: str
    metric: str | None = None
    to_revision: str | None = None
    until: float | None = None
    ack_id: int = 0
    created_at: float = 0.0
    removed_at: float | None = None

    def holds(self, now: float) -> bool:
        """Neither expired nor removed at `now`."""
        return self.removed_at is None and (self.until is None or now < self.until)
