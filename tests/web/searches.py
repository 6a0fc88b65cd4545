"""Bisections to look at: one under way, one done, one of commits within it."""

from dataclasses import replace
from typing import Any

from matrix.app.bisect.report import Suspect
from matrix.app.bisect.views import AnswerView, BisectionItem, BisectionView, NowView, PointView
from tests.web.build import NOW

_ITEM = BisectionItem(
    bisection=1, parent=None, engine="vllm", level="release", question="accept", status="running", good="0.27.1", bad="0.32.0",
    target="tiny-llama", draft="tiny-eagle3", method="eagle3", command="", culprit=None, range=[], confidence=None,
    resume="matrix bisect run --engine vllm --good 0.27.1 --bad 0.32.0 --regress accept --target tiny-llama", created_at=NOW - 400,
    finished_at=None,
)  # fmt: skip
COMMITS = [f"{n:x}" * 40 for n in (10, 11, 12)]
_ANSWERS = [
    AnswerView(1, "0.27.1", "good", "accept length 2.11", "ends", False, "r-0001", 2.11, True),
    AnswerView(2, "0.32.0", "bad", "accept length 1.02 (2.11 at the good end)", "ends", False, "r-0102", 1.02),
    AnswerView(3, "0.30.0", "skip", "build-failed: no wheel for this Python", "search", False, "r-0103"),
    AnswerView(4, "0.29.0", "good", "looked at it", "hand", True, None),
]
_POINTS = [
    PointView("0.27.1", "0.27.1", "", "", "good", None, 1, 0, 0, False),
    PointView("0.29.0", "0.29.0", "", "", "", 0.001, 1, 0, 0, False),
    PointView("0.30.0", "0.30.0", "", "", "", 0.31, 0, 0, 1, False),
    PointView("0.31.0", "0.31.0", "", "", "", 0.62, 0, 0, 0, True),
    PointView("0.32.0", "0.32.0", "", "", "bad", 0.069, 0, 1, 0, False),
]


def item(**values: Any) -> BisectionItem:
    return replace(_ITEM, **values)


def bisection(**values: Any) -> BisectionView:
    """One under way, between its ends."""
    base = BisectionView(
        item=_ITEM, phase="search", reason="", notes=["the tag is not on the branch"], points_total=5, points=_POINTS, answers=_ANSWERS,
        suspects=[Suspect("0.31.0", 0.62), Suspect("0.30.0", 0.31)], likely=["0.30.0", "0.31.0"], runs_left=3, next=["0.31.0"],
        now=NowView("vllm 0.31.0 / tiny-llama / eagle3", "probe", "prompt 4 of 16", NOW - 31), asked_good="0.27.1", asked_bad="latest",
        signature="",
    )  # fmt: skip
    return replace(base, **values)


def done(**values: Any) -> BisectionView:
    """One that named a release, and was looked into further by its commits."""
    ended = item(
        bisection=2, status="done", culprit="0.31.0", range=["0.30.0", "0.31.0"], confidence=0.993, finished_at=NOW - 60
    )
    child = item(bisection=3, parent=2, level="commit", status="interrupted", good=COMMITS[0], bad=COMMITS[2])
    base = bisection(
        item=ended, phase="done", runs_left=0, next=[], now=None, children=[child], headline="vllm: accept length fell in 0.31.0",
        markdown="**vllm: accept length fell in 0.31.0**\n\n- 8 runs\n\n    matrix sweep --force", report={"doubts": ["the lock differs"], "not_tested": ["0.30.0 could not be tested"]},
    )  # fmt: skip
    return replace(base, **values)


def searches() -> dict[int, BisectionView]:
    """By number."""
    parent = done()
    subject = "Pass the auxiliary hidden states on; a subject that is rather long, as subjects of commits are"
    points = [
        replace(p, name=c, version=f"0.30.0+{n}.g{c[:9]}", subject=subject, date="2026-11-03")
        for n, (p, c) in enumerate(zip(_POINTS[1:4], COMMITS, strict=True))
    ]
    answers = [replace(a, point=COMMITS[0]) for a in _ANSWERS]
    child = bisection(
        item=parent.children[0], within=parent.item, points=points, answers=answers, now=None, next=[COMMITS[1]],
        suspects=[Suspect(COMMITS[1], 0.9, subject)], likely=[COMMITS[1], COMMITS[2]],
    )  # fmt: skip
    return {1: bisection(), 2: parent, 3: child}
