"""States of a series, and the fixed words for a change between two neighbouring revisions."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How one metric of one series stands at one revision."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    COLLAPSED = "collapsed"
    BROKEN = "broken"
    SLOWER = "slower"
    WRONG_OUTPUT = "wrong-output"
    SUSPICIOUS_HIGH = "suspicious-high"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"

    @property
    def bad(self) -> bool:
        return self in _BAD

    @property
    def known(self) -> bool:
        return self not in (State.UNKNOWN, State.NOT_APPLICABLE)

    def worse_than(self, other: "State") -> bool:
        """True for a bad state further from healthy than `other`; equally bad ones are not worse than each other."""
        return _BADNESS.get(self, 0) > _BADNESS.get(other, 0)


_BADNESS = {State.DEGRADED: 1, State.SLOWER: 1, State.COLLAPSED: 2, State.WRONG_OUTPUT: 3, State.BROKEN: 3}
_BAD = frozenset(_BADNESS)


class Metric(StrEnum):
    """What a series follows from revision to revision."""

    ACCEPT_LENGTH = "accept-length"
    SPEED = "speed"
    OUTPUT = "output"


class Change(StrEnum):
    """Words of a flip; the same in pages, API and CLI."""

    REGRESSION = "regression"
    FIXED = "fixed"
    NEW_FAILURE = "new failure"
    STILL_FAILING = "still failing"
    NEW_PASS = "new pass"  # noqa: S105
    APPEARED = "appeared"
    DISAPPEARED = "disappeared"


@dataclass(frozen=True, slots=True)
class Verdict:
    """State of one metric at one revision: the reason is one sentence, the numbers stand beside it.

    `numbers` is a flat mapping of JSON values (for example `before`, `after`, `change`, `low`, `high`, `pairs`).
    """

    metric: Metric
    state: State
    reason: str
    numbers: tuple[tuple[str, float | int | str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Flip:
    """A series' change of state between two neighbouring measured revisions."""

    metric: Metric
    change: Change
    before_revision: str
    after_revision: str
    before: State
    after: State
    reason: str
    before_run: str | None = None
    after_run: str | None = None
