import shlex
from fnmatch import fnmatchcase

import pytest

from matrix.store.views import VerdictView
from tests.web import build
from web.commands import bisect_flip, bisect_run, last_good, repeat_run


def test_a_flip_is_bisected_between_its_two_revisions() -> None:
    assert bisect_flip(build.flip(workload="demo")) == (
        "matrix bisect run --engine vllm --good 0.27.1 --bad 0.32.0 --regress works "
        "--target tiny-llama --draft tiny-eagle3-map --method eagle3 --spec eagle3-map --workload demo"
    )


@pytest.mark.parametrize(
    ("after", "word"),
    [("degraded", "accept"), ("collapsed", "accept"), ("slower", "slower"), ("wrong-output", "wrong-output")],
)
def test_the_question_follows_the_state(after: str, word: str) -> None:
    assert f"--regress {word} " in (bisect_flip(build.flip(after=after)) or "")


@pytest.mark.parametrize("after", ["healthy", "unknown", "not-applicable", "suspicious-high", "nonsense"])
def test_there_is_nothing_to_bisect_in_what_is_not_bad(after: str) -> None:
    assert bisect_flip(build.flip(after=after)) is None


def test_no_draft_no_option() -> None:
    assert "--draft" not in (bisect_flip(build.flip(draft=None, method="ngram")) or "")


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        ("load-crash", "works"),
        ("serve-crash", "works"),
        ("hang", "hang"),
        ("wrong-output", "wrong-output"),
        ("measured-nothing", "accept"),
    ],
)
def test_a_failed_run_asks_the_question_of_its_outcome(outcome: str, word: str) -> None:
    run = build.run(row=build.row(outcome=outcome, revision="0.32.0"))
    series = build.series(points=[build.point(), build.point(revision="0.32.0", outcome=outcome)])
    assert f"--good 0.27.1 --bad 0.32.0 --regress {word} " in (bisect_run(run, series) or "")


@pytest.mark.parametrize("outcome", ["infra", "environment", "build-failed", "config-error", "unsupported"])
def test_what_is_no_fact_about_the_engine_is_not_bisected(outcome: str) -> None:
    assert bisect_run(build.run(row=build.row(outcome=outcome)), None) is None


def test_a_run_that_served_and_fell_is_bisected_by_its_verdict() -> None:
    fell = [VerdictView("output", "healthy", ""), VerdictView("accept-length", "degraded", "")]
    assert " --bad 0.27.1 --regress accept " in (bisect_run(build.run(verdicts=fell), None) or "")


def test_last_good_skips_failures_and_bad_verdicts_and_what_comes_after() -> None:
    bad = [VerdictView("accept-length", "collapsed", "")]
    points = [
        build.point(revision="1"),
        build.point(revision="2", outcome="infra"),
        build.point(revision="3", verdicts=bad),
        build.point(revision="4", outcome="load-crash"),
        build.point(revision="5"),
    ]
    series = build.series(points=points)
    assert last_good(series, build.row(revision="4")) == "1"
    assert last_good(series, build.row(revision="1")) is None
    assert last_good(series, build.row(revision="not in it")) is None


def test_a_first_failure_is_bisected_by_walking_back() -> None:
    command = bisect_flip(build.flip(from_revision="", from_run=None)) or ""
    assert "--bad 0.32.0" in command and "--good" not in command


def test_the_cell_is_selected_exactly_even_when_its_names_are_wildcards() -> None:
    row = build.row(target="a b*[x]?", spec="k=3")
    command = shlex.split(repeat_run(row))
    assert command[:3] == ["matrix", "sweep", "--force"]
    selectors = dict(word.split("=", 1) for word in command[3:])
    assert selectors["spec"] == "k=3"
    assert fnmatchcase("a b*[x]?", selectors["target"]) and not fnmatchcase("a bc[x]d", selectors["target"])
