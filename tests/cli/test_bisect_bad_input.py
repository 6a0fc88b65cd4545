"""`matrix bisect run ... -- CMD` refuses what makes no search: one clear line, the right exit code, nothing stored."""

from pathlib import Path

import pytest

from matrix.cli.main import main
from tests.fakes.history import History

COUNT = 6


class Clone:
    """A clone of six commits and a database beside it."""

    def __init__(self, folder: Path) -> None:
        self.history = History(folder / "clone")
        self.commits = [self.history.commit({"number": f"{i}\n"}) for i in range(COUNT)]
        self.folder = folder

    def bisect(self, *words: str, command: str = "true") -> int:
        ends = ("--good", self.commits[0], "--bad", self.commits[-1])
        where = ("--clone", str(self.history.folder), "--db", f"sqlite:///{self.folder}/matrix.db")
        return main(["bisect", "run", *where, *ends, "--yes", *words, "--", "sh", "-c", command])


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--confidence", "sure"), "`sure` is no probability from 0.5 to 0.9999, such as 0.95"),
        (("--confidence", "nan"), "`nan` is no probability"),
        (("--confidence", "95"), "`95` is no probability"),
        (("--confidence", "1"), "`1` is no probability"),
        (("--confidence", "0.4"), "`0.4` is no probability"),
        (("--samples", "0"), "'--samples': 0 is not in the range"),
        (("--samples", "many"), "'--samples': 'many' is not a valid integer"),
        (("--verify", "-1"), "'--verify': -1 is not in the range"),
        (("--most-runs", "0"), "'--most-runs': 0 is not in the range"),
        (("--bad", ""), "holds no single commit ``"),
        (("--good", "--help-me"), "holds no single commit `--help-me`"),
    ],
)
def test_options_that_mean_nothing(
    clone: Clone, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert clone.bisect(*words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("matrix: ")
    assert said in line


def test_a_commit_that_the_clone_has_lost_is_named(clone: Clone, capsys: pytest.CaptureFixture[str]) -> None:
    lost = clone.commits[3]
    (clone.history.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    assert clone.bisect() == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("matrix:")]
    assert lost in line
    assert "git fetch" in line


def test_changes_that_no_commit_holds_are_said_not_to_be_tested(
    clone: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone.history.folder / "number").write_text("mine")
    assert clone.bisect(command="[ $(cat number) != 4 ] && [ $(cat number) != 5 ]") == 0
    said = capsys.readouterr()
    assert "has changes that are not committed: they stay as they are and are not tested" in said.err
    assert f"stopped working in {clone.commits[4][:12]}" in said.out
    assert (clone.history.folder / "number").read_text() == "mine"


def test_an_end_that_gives_both_answers_is_said_to_be_flaky(clone: Clone, capsys: pytest.CaptureFixture[str]) -> None:
    """The change right after the good end is to blame, so that end is run once more, and fails."""
    runs = clone.folder / "runs"
    command = f"[ $(cat number) = 0 ] && [ ! -e {runs} ] && touch {runs}"
    assert clone.bisect(command=command) == 1
    said = capsys.readouterr().err
    assert f"no search was made: the good end {clone.commits[0]} is flaky: 1 of 2 runs said good" in said
    assert f"1 of 2 runs failed at {clone.commits[0][:12]}" in said
    assert "`--samples 10`" in said
