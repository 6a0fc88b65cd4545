"""What is asked of the matrix and what speaks for or against a version: the words of `matrix compat`."""

from dataclasses import dataclass
from enum import StrEnum

from matrix.core.expectation import Bonus
from matrix.core.state import State


class Evidence(StrEnum):
    """Where a claim comes from; the three are never mixed up."""

    MEASURED = "measured"
    REPORTED = "reported"
    KNOWN = "known"


class Kind(StrEnum):
    """The kind of an answer: see `matrix.plan.compat.decide`."""

    RECOMMENDED = "recommended"
    REPORTED = "reported"
    BROKEN = "broken"
    EXCLUDED = "excluded"
    NOT_TESTED = "not-tested"


@dataclass(frozen=True, slots=True)
class Question:
    """Names as the user gave them. None does not ask; `k` is the most drafts that one verify step can accept."""

    model: str
    draft: str | None = None
    engine: str | None = None
    method: str | None = None
    gpu: str | None = None
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about one engine version (`versions`), a range of them, or (empty) an unknown one.

    A draft, method, hardware or k that is None is any for what is known, and unknown for what is reported.
    `noise` is a share of the accept length, `at` Unix seconds, `ref` the run or report behind it.
    """

    evidence: Evidence
    engine: str
    target: str
    state: State
    versions: str = ""
    draft: str | None = None
    method: str | None = None
    hardware: str | None = None
    k: int | None = None
    accept_length: float | None = None
    bonus: Bonus = Bonus.YES
    noise: float | None = None
    speedup: float | None = None
    at: float | None = None
    reason: str = ""
    link: str = ""
    ref: str = ""
    series: str = ""
    workload: str = ""
    target_content: str | None = None
    draft_content: str | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """A claim that differs from the question in `differs` (engine, draft, method, hardware, k): an inference only."""

    claim: Claim
    differs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims about one version that cannot both be right; `kept` is the one that the answer goes by."""

    kept: Claim
    other: Claim


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule says: the first choice `best`, then `next_best`; what is `broken` or excluded by the source.

    `known` are spans of releases that the source shows intact; `nearest` is empty where there is a `best`.
    """

    kind: Kind
    best: Claim | None = None
    next_best: tuple[Claim, ...] = ()
    broken: tuple[Claim, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    nearest: tuple[Near, ...] = ()
    known: tuple[Claim, ...] = ()
