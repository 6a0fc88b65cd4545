"""Logs: ours back to the same answers, and git's own replay of them to the same commit."""

import subprocess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from matrix.bisect.answers import Answer, Said
from matrix.bisect.gitlog import LogError, answers_of, majority, read_log, write_log
from matrix.bisect.history import GOOD_END, History, from_parents, linear
from matrix.bisect.search import Phase, begin
from tests.bisect.histories import erring, histories, search, truth


@given(histories(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_log_comes_back_as_the_same_answers(history: History, data: st.DataObject) -> None:
    point = st.integers(GOOD_END, len(history) - 1)
    ratio = st.none() | st.floats(-1e3, 1e3)
    answers = data.draw(st.lists(st.builds(Answer, point, st.sampled_from(Said), ratio), max_size=10))
    suspected = data.draw(st.lists(st.integers(0, len(history) - 1), max_size=3))
    log = write_log(history, answers, suspected)
    back = answers_of(history, read_log(log))
    assert back == answers
    assert write_log(history, back, suspected) == log


def git(folder: Path, *args: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *args], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository(folder: Path) -> History:
    """Twenty commits with a merge; the history of everything after the first."""
    git(folder, "init", "-q", "-b", "main", ".")
    for i in range(8):
        git(folder, "commit", "-q", "--allow-empty", "-m", f"main {i}")
    git(folder, "checkout", "-q", "-b", "side", "HEAD~4")
    for i in range(5):
        git(folder, "commit", "-q", "--allow-empty", "-m", f"side {i}")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "side")
    for i in range(6):
        git(folder, "commit", "-q", "--allow-empty", "-m", f"after {i}")
    rows = [
        line.split() for line in git(folder, "rev-list", "--topo-order", "--reverse", "--parents", "HEAD").splitlines()
    ]
    base = rows[0][0]
    return from_parents([r[0] for r in rows[1:]], {r[0]: r[1:] for r in rows}, base)


@pytest.mark.parametrize("culprit", [0, 6, 9, 12, 18])
def test_git_replays_our_log_to_the_same_commit(tmp_path: Path, culprit: int) -> None:
    history = repository(tmp_path)
    state, end, _ = search(begin(history), truth(history, culprit))
    assert end.suspects
    assert end.suspects.changes == (culprit,)
    said = replayed(tmp_path, write_log(history, state.answers, end.suspects.changes))
    assert f"first bad commit: [{history.points[culprit]}]" in said


def imported(folder: Path, history: History) -> History:
    """A repository with the shape of `history`, made in one go; the same history with git's names."""
    git(folder, "init", "-q", "-b", "main", ".")
    identity = "committer t <t@example.invalid> {} +0000"
    stream = [f"commit refs/heads/main\nmark :1\n{identity.format(1)}\ndata 0\n"]
    for i, parents in enumerate(history.parents):
        first, *more = [parent + 2 for parent in parents] or [1]
        merged = "".join(f"merge :{mark}\n" for mark in more)
        text = f"mark :{i + 2}\n{identity.format(i + 2)}\ndata 0\nfrom :{first}\n{merged}"
        stream.append(f"commit refs/heads/main\n{text}")
    marks = folder / "marks"
    command = ["git", "-C", str(folder), "fast-import", "--quiet", "--force", f"--export-marks={marks}"]
    subprocess.run(command, input="\n".join(stream), text=True, check=True)
    names = dict(line.split() for line in marks.read_text().splitlines())
    return History(tuple(names[f":{i + 2}"] for i in range(len(history))), history.parents, names[":1"])


def replayed(folder: Path, log: str) -> str:
    """What git says after replaying a log."""
    (folder / "our.log").write_text(log)
    done = subprocess.run(["git", "-C", str(folder), "bisect", "replay", "our.log"], capture_output=True, check=False)
    assert done.returncode in (0, 2), done.stderr  # 2: only commits that were skipped are left
    return git(folder, "bisect", "log")


@given(histories(least=2, most=16), st.randoms(use_true_random=False), st.data())
@settings(max_examples=8, deadline=None)
def test_git_comes_to_the_same_commit_on_any_history_with_skips_and_wrong_answers(
    history: History, dice: Random, data: st.DataObject
) -> None:
    culprit = data.draw(st.integers(0, len(history) - 1))
    broken = data.draw(st.sets(st.integers(0, len(history) - 2), max_size=3)) - {culprit}
    errors = data.draw(st.sampled_from([0.0, 0.15]))
    with TemporaryDirectory() as folder:
        named = imported(Path(folder), history)
        say = erring(named, culprit, dice.random, errors, errors)
        state, end, _ = search(begin(named), lambda p: Said.SKIP if p in broken else say(p))
        assume(end.phase is Phase.DONE)
        assert end.suspects
        changes = end.suspects.changes
        said = replayed(Path(folder), write_log(named, state.answers, changes))
    if len(changes) == 1:
        assert f"# first bad commit: [{named.points[changes[0]]}]" in said
    else:
        assert "# first bad commit: [" not in said
        assert all(f"# possible first bad commit: [{named.points[change]}]" in said for change in changes)


def test_one_wrong_answer_that_was_outvoted_does_not_lead_git_astray(tmp_path: Path) -> None:
    named = imported(tmp_path, linear([str(i) for i in range(6)]))
    answers = [Answer(1, Said.BAD), *[Answer(3, Said.GOOD)] * 3, *[Answer(4, Said.BAD)] * 3]
    assert "git bisect bad" in write_log(named, answers[:1])
    log = write_log(named, answers, (4,))
    assert f"git bisect bad {named.points[1]}" not in log
    assert f"first bad commit: [{named.points[4]}]" in replayed(tmp_path, log)
    assert answers_of(named, read_log(log)) == answers


def test_git_heeds_the_earliest_bad_commit_whatever_the_order_of_answers(tmp_path: Path) -> None:
    named = imported(tmp_path, linear([str(i) for i in range(3)]))
    answers = [Answer(0, Said.GOOD), Answer(1, Said.BAD), *[Answer(0, Said.BAD)] * 3]
    assert f"first bad commit: [{named.points[0]}]" in replayed(tmp_path, write_log(named, answers, (0,)))


def test_a_log_of_git_itself_is_read(tmp_path: Path) -> None:
    history = repository(tmp_path)
    git(tmp_path, "bisect", "start", history.points[-1], history.good)
    git(tmp_path, "bisect", "bad", history.points[12])
    git(tmp_path, "bisect", "skip", history.points[5])
    answers = answers_of(history, read_log(git(tmp_path, "bisect", "log")))
    assert {(a.point, a.said) for a in answers} == {
        (GOOD_END, Said.GOOD),
        (len(history) - 1, Said.BAD),
        (12, Said.BAD),
        (5, Said.SKIP),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no `git bisect` line"),
        ("hello\n", "no `git bisect` line"),
        ("git bisect start b a\nrm -rf x\n", "line 2: `rm -rf x`"),
        ("git bisect start b a\n# matrix: maybe b\n", "line 2: `# matrix: maybe b`"),
        ("git bisect start b 'a\n", "line 1: No closing quotation"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(LogError, match=words):
        read_log(text)


def test_revisions_must_name_one_point() -> None:
    history = linear(["abcdef012", "abcdef013"], "base")
    assert answers_of(history, read_log("git bisect start abcdef013 base"))[0].point == 1
    with pytest.raises(LogError, match="names 2 points"):
        answers_of(history, read_log("git bisect start abcdef01 base"))
    with pytest.raises(LogError, match="names 0 points"):
        answers_of(history, read_log("git bisect start zzz base"))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("git bisect start d base\ngit bisect bad b\ngit bisect good b\n", "lines 2 and 3 .* b is both good and bad"),
        (
            "git bisect start d base\ngit bisect good c\ngit bisect bad a\n",
            "lines 2 and 3 .*: c is good and holds a, which is bad",
        ),
        ("git bisect start base d\n", "line 1 contradicts itself: d is good and holds base, which is bad"),
    ],
)
def test_lines_of_git_that_contradict_each_other_are_named(lines: str, words: str) -> None:
    with pytest.raises(LogError, match=words):
        answers_of(linear(["a", "b", "c", "d"], "base"), read_log(lines))


def test_our_own_lines_may_contradict_each_other() -> None:
    lines = "git bisect start d base\n# matrix: bad b\n# matrix: good b\n"
    assert len(answers_of(linear(["a", "b", "c", "d"], "base"), read_log(lines))) == 2


def test_majority() -> None:
    assert majority([Said.GOOD, Said.BAD, Said.BAD]) is Said.BAD
    assert majority([Said.GOOD, Said.BAD]) is None
    assert majority([Said.SKIP]) is Said.SKIP
    assert majority([Said.SKIP, Said.GOOD]) is Said.GOOD
