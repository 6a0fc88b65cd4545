"""An accept length that a draft's author published."""

from dataclasses import dataclass
from enum import StrEnum


class Bonus(StrEnum):
    """Whether a published accept length counts the bonus token, as ours does."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What was published for `draft`: `value` on `workload` at `k`; None and empty text are what was not said.

    `target` and `engine` narrow it to cells of that name; None is any.
    """

    draft: str
    value: float
    bonus: Bonus = Bonus.UNKNOWN
    workload: str = ""
    k: int | None = None
    link: str = ""
    target: str | None = None
    engine: str | None = None
