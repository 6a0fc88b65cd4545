"""What was seen at the points, and how often a judgement errs."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Said(StrEnum):
    """One answer. A skip says nothing about the change, only that the point cannot be tested."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Answer:
    """What point `point` (an index, or GOOD_END) was found to be.

    `ratio` is the natural logarithm of P(what was measured | bad) / P(what was measured | good), where the judge gives
    one; None where only good or bad is known. `run` names the run behind it.
    """

    point: int
    said: Said
    ratio: float | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """Counts of judgements whose truth is known: at a good point `wrong_bad` of `good_runs` said bad, at a bad point
    `wrong_good` of `bad_runs` said good. They come from repeated boots of one revision (A/A runs).
    """

    wrong_bad: int = 0
    good_runs: int = 0
    wrong_good: int = 0
    bad_runs: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.wrong_bad <= self.good_runs and 0 <= self.wrong_good <= self.bad_runs):
            raise ValueError(f"wrong judgements are a part of all judgements: {self}")


NO_RATES = Rates()


def skipped(answers: Iterable[Answer]) -> frozenset[int]:
    """Points that were only ever skipped; one that was also answered can be tested."""
    asked = tuple(answers)
    answered = {a.point for a in asked if a.said is not Said.SKIP}
    return frozenset(a.point for a in asked if a.said is Said.SKIP and a.point not in answered)
