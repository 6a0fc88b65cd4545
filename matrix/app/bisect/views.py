"""Bisections as pages, `matrix bisect show --json` and the API show them. Plain data; times are Unix seconds (UTC)."""

from dataclasses import dataclass, field
from typing import Any

from matrix.app.bisect.report import Suspect

RUNNING, INTERRUPTED = "running", "interrupted"
"""An open bisection whose process lives, and one whose process has ended: `resume` goes on with it."""


@dataclass(frozen=True, slots=True)
class BisectionItem:
    """One line of a list. `good` and `bad` are the ends as resolved; `culprit` and `range` are those of the report.

    `status` is `running`, `interrupted`, `done`, `stopped` (short of the confidence asked for), `refused` (the ends do
    not differ) or `walked-back` (only looked for a good end). `resume` is the command that goes on with it or asks
    the same again. `target` is empty and `command` is not where a command of the user's was asked.
    """

    bisection: int
    parent: int | None
    engine: str
    level: str
    question: str
    status: str
    good: str
    bad: str
    target: str
    draft: str | None
    method: str | None
    command: str
    culprit: str | None
    range: list[str]
    confidence: float | None
    resume: str
    created_at: float
    finished_at: float | None


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer. `value` is the accept length (question `slower`: tokens a second) of its run, None where there is
    none; `known`: the run was made before this bisection began.
    """

    answer: int
    point: str
    said: str
    why: str
    phase: str
    by_hand: bool
    run_id: str | None
    value: float | None = None
    known: bool = False


@dataclass(frozen=True, slots=True)
class PointView:
    """A point that was asked, is asked next or is suspected; `good`, `bad` and `skip` count its answers."""

    name: str
    version: str
    date: str
    subject: str
    end: str
    probability: float | None
    good: int
    bad: int
    skip: int
    next: bool


@dataclass(frozen=True, slots=True)
class NowView:
    """What is being run at this moment."""

    label: str
    phase: str
    detail: str
    started_at: float | None


@dataclass(frozen=True, slots=True)
class BisectionView:
    """One bisection. `suspects` is empty before both ends are known to differ; `likely` is the shortest range of
    changes, both included, that holds nine tenths of the probability. `runs_left` is an estimate. `report` is what
    `matrix bisect run --json` printed, `markdown` the same for an issue tracker; None and empty until the end.
    """

    item: BisectionItem
    phase: str
    reason: str
    notes: list[str]
    points_total: int
    points: list[PointView]
    answers: list[AnswerView]
    suspects: list[Suspect]
    likely: list[str]
    runs_left: int
    next: list[str]
    now: NowView | None
    asked_good: str | None
    asked_bad: str
    signature: str
    children: list[BisectionItem] = field(default_factory=list)
    within: BisectionItem | None = None
    headline: str = ""
    markdown: str = ""
    report: dict[str, Any] | None = None
