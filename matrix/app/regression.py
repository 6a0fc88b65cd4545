"""A flip for the worse with all that explains it, as `matrix regressions --json` and the API print it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from matrix.store.views import FlipView


class Status(StrEnum):
    """What became of a regression: seen at the newest measured revision only, still there later, repaired, or known."""

    NEW = "new"
    STILL_FAILING = "still failing"
    FIXED = "fixed"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class FaultView:
    """See `matrix.stats.fault.Fault`."""

    kind: str = "unknown"
    text: str = ""
    evidence: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AckView:
    """The acknowledgement that covers a regression; times are Unix seconds, `until` None for good."""

    ack_id: int
    scope: str
    reason: str
    until: float | None
    created_at: float


@dataclass(frozen=True, slots=True)
class ExpectationView:
    """A measured accept length set against a published one; see `matrix.stats.expectations.Compared`."""

    text: str
    link: str = ""
    expected: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Regression(FlipView):
    """`group` is the number that all flips of one cause share, the lowest flip number among them.

    `now` is the state at the newest measured revision, `fixed_in` the first healthy revision after the fall, `use` says
    which revisions work. `value_before` and `value_after` are accept lengths, of the metric speed tokens a second; None
    where nothing was measured. `numbers` are those of the verdict (`before`, `after`, `change`, `low`, `high`, `pairs`,
    `q`, `noise` and others that were worked out), `next` the command to run next, None where nothing is left to do.
    `ack_ended` says why an acknowledgement no longer covers it.
    """

    group: int = 0
    status: str = Status.NEW.value
    now: str = ""
    fixed_in: str | None = None
    use: str = ""
    value_before: float | None = None
    value_after: float | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    fault: FaultView = field(default_factory=FaultView)
    signature: str = ""
    expectations: list[ExpectationView] = field(default_factory=list)
    ack: AckView | None = None
    ack_ended: str = ""
    next: str | None = None

    @property
    def counts(self) -> bool:
        """True when it stands and nobody has acknowledged it: then the exit code is 1."""
        return self.standing and self.ack is None
