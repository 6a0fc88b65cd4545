"""`matrix bisect run ... -- CMD` over a real git repository: any command, flaky or not, killed or not."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.history import History

COUNT, CULPRIT = 20, 13
SUBJECT = "change {}"


@dataclass(frozen=True)
class Here:
    """A working folder with a clone of COUNT commits; from the one numbered CULPRIT on, `number` tells of a fault."""

    folder: Path
    clone: Path
    commits: list[str]

    def command(self, *words: str, db: str = "own") -> list[str]:
        ends = ("--clone", "clone", "--good", self.commits[0], "--bad", self.commits[-1])
        return [sys.executable, "-m", "matrix", "bisect", "run", *ends, "--db", f"sqlite:///{db}.db", "--yes", *words]

    def run(self, *words: str, db: str = "own") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words, db=db), cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )

    @property
    def env(self) -> dict[str, str]:
        return os.environ | {"MATRIX_CACHE": str(self.folder / "cache")}

    def script(self, body: str) -> str:
        """A shell script beside the clone that sees the commit's number in $n and how often it ran in $run."""
        path = self.folder / "ask.sh"
        counting = f"run=$(cat {self.folder}/runs 2>/dev/null || echo 0); echo $((run + 1)) > {self.folder}/runs"
        path.write_text(f"#!/bin/sh\nn=$(cat number)\n{counting}\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def report(self, *words: str, code: int = 0, db: str = "own") -> dict[str, Any]:
        done = self.run("--json", *words, db=db)
        assert done.returncode == code, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def here(tmp_path: Path) -> Here:
    history = History(tmp_path / "clone")
    commits = [history.commit({"number": f"{i}\n"}, SUBJECT.format(i)) for i in range(COUNT)]
    return Here(tmp_path, history.folder, commits)


def test_the_commit_is_named_and_the_clone_stays_as_it_is(here: Here) -> None:
    (here.clone / "number").write_text("mine")
    found = here.report("--", here.script(f"[ $n -lt {CULPRIT} ]"))
    assert found["culprit"] == here.commits[CULPRIT]
    assert found["subject"] == SUBJECT.format(CULPRIT)
    assert found["range"] == [here.commits[CULPRIT - 1], here.commits[CULPRIT]]
    assert found["confidence"] >= 0.95
    assert found["runs"] <= 10
    assert any("not committed" in note for note in found["notes"])
    assert (here.clone / "number").read_text() == "mine"
    listed = subprocess.run(["git", "-C", here.clone, "worktree", "list"], capture_output=True, text=True, check=True)
    assert len(listed.stdout.splitlines()) == 1


def test_a_flaky_command_is_told_by_its_share_of_failures(here: Here) -> None:
    """Bad commits pass two times in three, good ones fail one time in nine: no majority tells them apart."""
    script = here.script(
        f"[ $n -ge {CULPRIT} ] && [ $((run % 3)) -ne 0 ] && exit 0\n[ $n -lt {CULPRIT} ] && exit 0\nexit 1"
    )
    found = here.report("--samples", "12", "--", script)
    assert found["culprit"] == here.commits[CULPRIT]
    assert found["confidence"] >= 0.95
    assert found["runs"] % 12 == 0


def test_ends_that_do_not_differ_beyond_chance_are_refused(here: Here) -> None:
    done = here.run("--samples", "6", "--", here.script("[ $((run % 2)) -eq 0 ]"))
    assert done.returncode == 1
    assert "3 of 6 runs failed at" in done.stderr
    assert "more --samples" in done.stderr


def test_statuses_mean_what_they_mean_to_git(here: Here) -> None:
    body = f"[ $n -eq 9 ] && exit 125\n[ $n -lt {CULPRIT} ] && exit 0\n[ $n -eq {CULPRIT} ] && exit 127\nexit 126"
    found = here.report("--", here.script(body))
    assert found["culprit"] == here.commits[CULPRIT]
    assert {a["point"] for a in found["answers"] if a["said"] == "skip"} <= {here.commits[9]}


@pytest.mark.parametrize("end", ["exit 128", "kill -9 $$", "kill -15 $$"])
def test_what_is_no_answer_stops_the_search_and_is_asked_again(here: Here, end: str) -> None:
    middle = f"[ $n -gt 0 ] && [ $n -lt {COUNT - 1} ] && [ ! -e {here.folder}/mended ]"
    words = ("--", here.script(f"{middle} && {end}\n[ $n -lt {CULPRIT} ]"))
    stopped = here.run(*words)
    assert stopped.returncode == 4
    assert "which is no answer" in stopped.stderr
    (here.folder / "mended").touch()
    found = here.report(*words)
    assert found["culprit"] == here.commits[CULPRIT]
    assert found["runs"] == found["engine_starts"] + 2


def test_it_goes_on_in_the_middle_of_an_asking(here: Here) -> None:
    """Each run is a row: of four runs at a point, those made before the kill are not made again."""
    words = (
        "--samples",
        "4",
        "--",
        here.script(f"[ $run -ge 9 ] && [ ! -e {here.folder}/on ] && exec sleep 600\n[ $n -lt {CULPRIT} ]"),
    )
    with (here.folder / "log").open("w") as log:
        running = subprocess.Popen(
            here.command(*words), cwd=here.folder, env=here.env, stderr=log, start_new_session=True
        )
    _until(lambda: (here.folder / "runs").exists() and (here.folder / "runs").read_text().strip() == "10")
    running.send_signal(signal.SIGKILL)
    running.wait()
    (here.folder / "on").touch()
    done = here.run("--json", *words)
    assert done.returncode == 0, done.stderr
    assert "9 runs are kept" in done.stderr
    found = json.loads(done.stdout)
    assert found["culprit"] == here.commits[CULPRIT]
    assert found["engine_starts"] == found["runs"] - 9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"--good": "nonsense"}, "holds no single commit `nonsense`"),
        ({"--good": "HEAD", "--bad": "HEAD"}, "both ends are"),
        ({"--good": "HEAD", "--bad": "HEAD~3"}, "is older than the good end"),
        ({"--good": "unrelated"}, "have no commit in common"),
        ({"--clone": "."}, "is no git repository"),
        ({"CMD": "no-such-program"}, "there is no program `no-such-program`"),
    ],
)
def test_bad_input_is_one_clear_line(here: Here, change: dict[str, str], words: str) -> None:
    git = ["git", "-C", str(here.clone), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    empty = subprocess.run([*git, "commit-tree", "-m", "x", "HEAD^{tree}"], capture_output=True, text=True, check=True)
    subprocess.run([*git, "branch", "unrelated", empty.stdout.strip()], check=True)
    command = here.command("--", "true")
    for option, value in change.items():
        command[-1 if option == "CMD" else command.index(option) + 1] = value
    done = subprocess.run(command, cwd=here.folder, env=here.env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("matrix:")]
    assert words in line


def test_a_shallow_clone_is_said_to_be_one(here: Here) -> None:
    shallow = here.folder / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "3", f"file://{here.clone}", shallow], check=True)
    command = here.command("--", "true")
    command[command.index("--clone") + 1] = "shallow"
    done = subprocess.run(command, cwd=here.folder, env=here.env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "git fetch --unshallow" in done.stderr


def test_a_cell_is_still_asked_for_by_the_same_verb(here: Here) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "matrix", "bisect", "run", "--good", "1"],
        cwd=here.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "--engine" in done.stderr or "--target" in done.stderr


def _until(true: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.1)
