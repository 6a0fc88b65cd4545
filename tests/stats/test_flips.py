"""Changes of state, their words, and which regressions stand."""

import pytest

from matrix.core.outcome import Outcome
from matrix.core.state import Change, Metric, State
from matrix.stats.judge import RunPoint, judge_series, standing
from tests.stats.build import changes, ended, scaled, served

KINDS = {
    "good": served,
    "low": lambda r: served(r, scaled(0.6)),
    "none": lambda r: served(r, [1.0] * 16),
    "crash": lambda r: ended(r, Outcome.LOAD_CRASH, "KeyError"),
    "high": lambda r: served(r, [4.0] * 16),
    "infra": lambda r: ended(r, Outcome.INFRA, "no disk"),
    "n/a": lambda r: ended(r, Outcome.UNSUPPORTED, "too old"),
}
WORDS = [
    ("good good good", ""),
    ("good crash", "regression"),
    ("good none", "regression"),
    ("good low none crash", "regression, still failing, still failing"),
    ("good crash crash", "regression"),
    ("good crash good", "regression, fixed"),
    ("good low crash good crash", "regression, still failing, fixed, regression"),
    ("crash", "new failure"),
    ("crash crash", "new failure"),
    ("crash none", "new failure, still failing"),
    ("crash good", "new failure, new pass"),
    ("crash good none good", "new failure, new pass, regression, fixed"),
    ("good infra crash", "regression"),
    ("good infra good", ""),
    ("crash infra crash", "new failure"),
    ("n/a crash", "new failure"),
    ("n/a good", ""),
    ("good n/a", ""),
    ("high", "appeared"),
    ("good high good", "appeared, disappeared"),
    ("good high crash", "appeared, regression"),
    ("high crash", "appeared, new failure"),
    ("high good", "appeared, disappeared"),
    ("good crash high good", "regression, appeared, fixed"),
    ("good crash high crash", "regression, appeared, still failing"),
    ("infra infra", ""),
]


def series(kinds: str) -> list[RunPoint]:
    return [KINDS[kind](str(i)) for i, kind in enumerate(kinds.split(), start=1)]


@pytest.mark.parametrize(("kinds", "words"), WORDS)
def test_words(kinds: str, words: str) -> None:
    assert ", ".join(changes(series(kinds))) == words


@pytest.mark.parametrize("kinds", [row[0] for row in WORDS])
def test_no_metric_flips_twice_at_one_revision(kinds: str) -> None:
    flips = judge_series(series(kinds)).flips
    assert len({(flip.metric, flip.after_revision) for flip in flips}) == len(flips)


def test_a_flip_names_both_sides_and_passes_over_the_unknown() -> None:
    (flip,) = judge_series(series("good infra crash")).flips
    assert (flip.before_revision, flip.after_revision) == ("1", "3")
    assert (flip.before_run, flip.after_run) == ("run-1", "run-3")
    assert (flip.before, flip.after) == (State.HEALTHY, State.BROKEN)
    assert flip.reason == "load-crash: KeyError"


def test_the_first_failure_has_no_side_before() -> None:
    (flip,) = judge_series(series("crash")).flips
    assert (flip.before_revision, flip.before_run, flip.before) == ("", None, State.UNKNOWN)


def test_flips_come_in_revision_order() -> None:
    wrong = ended("2", Outcome.WRONG_OUTPUT)
    flips = judge_series([served("1", compared=16), wrong, ended("3", Outcome.LOAD_CRASH)]).flips
    assert [(f.metric, f.after_revision) for f in flips] == [(Metric.OUTPUT, "2"), (Metric.ACCEPT_LENGTH, "3")]


@pytest.mark.parametrize(
    ("kinds", "since"),
    [
        ("good crash", ["2"]),
        ("good crash good", []),
        ("good crash good none", ["4"]),
        ("good low none", ["2"]),
        ("good crash infra", ["2"]),
        ("good crash n/a", ["2"]),
        ("good crash high", ["2"]),
        ("crash", []),
        ("crash good", []),
        ("good high", []),
    ],
)
def test_standing_regressions(kinds: str, since: list[str]) -> None:
    found = standing(judge_series(series(kinds)))
    assert [flip.after_revision for flip in found] == since
    assert all(flip.change is Change.REGRESSION for flip in found)


def test_an_empty_series_is_an_empty_judgement() -> None:
    judgement = judge_series([])
    assert judgement.revisions == () and judgement.flips == () and standing(judgement) == []
