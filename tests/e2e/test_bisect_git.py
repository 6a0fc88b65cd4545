"""Commits of a clone, over a stub release: our own search, and the real `git bisect run` with our step."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import Place, place, toml
from tests.fakes.embed import vllm_files
from tests.fakes.history import History

CELL = ("--engine", "vllm", "--target", "tiny", "--draft", "head")
COUNT, CULPRIT = 12, 8
SERVER = "vllm/entrypoints/openai/api_server.py"


@dataclass(frozen=True)
class Clone:
    """A place whose engine has a repository: `commits` follow the tag v1.0.0; the one at CULPRIT collapses."""

    here: Place
    folder: Path
    commits: list[str]

    def git(self, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(self.folder), *words]
        return subprocess.run(
            command, env=self.here.env | (env or {}), capture_output=True, text=True, timeout=600, check=False
        )

    def start(self) -> None:
        self.git("bisect", "reset")
        assert self.git("bisect", "start", self.commits[-1], "v1.0.0").returncode == 0

    def run(self, *more: str, config: str = "matrix.toml", env: dict[str, str] | None = None) -> tuple[int, str]:
        files = ("--config", str(self.here.folder / config), "--db", f"sqlite:///{self.here.folder}/git.db")
        step = [sys.executable, "-m", "matrix", "bisect", "step", *CELL, *files, *more]
        done = self.git("bisect", "run", *step, env=env)
        return done.returncode, done.stdout + done.stderr

    def called_bad(self) -> set[str]:
        """Commits that git was told are bad, the end it was started with left out."""
        lines = self.git("bisect", "log").stdout.splitlines()
        return {line.split()[-1] for line in lines if line.startswith("git bisect bad")} - {self.commits[-1]}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    root = tmp_path_factory.mktemp("clone")
    here = place(root, "1.0.0")
    history = History(root / "engine")
    history.commit(vllm_files(), "release 1.0.0")
    history.git("tag", "v1.0.0")
    commits = [history.commit(_files(i), f"change {i}") for i in range(1, COUNT + 1)]
    here.write(toml(versions='"1.0.0"').replace("[engines.vllm]", f'[engines.vllm]\nclone = "{history.folder}"'))
    return Clone(here, history.folder, commits)


def _files(number: int) -> dict[str, str]:
    """The package at one commit; its server scripts itself."""
    more: dict[str, Any] = {"acceptance": [0.0, 0.0, 0.0]} if number >= CULPRIT else {}
    lines = [
        "import json, os, sys",
        f"NUMBER = {number}",
        "body = json.loads(os.environ.get('FAKE_ENGINE_SCRIPT') or '{}')",
        f"os.environ['FAKE_ENGINE_SCRIPT'] = json.dumps(body | json.loads({json.dumps(json.dumps(more))}))",
        "from vllm.fakes.engine import main",
        "sys.exit(main())",
    ]
    return vllm_files() | {SERVER: "\n".join(lines) + "\n"}


def test_the_commit_is_named(clone: Clone) -> None:
    ends = ("--good", "1.0.0", "--bad", clone.commits[-1])
    done = clone.here.run("bisect", "run", *CELL, *ends, "--yes", "--json", "--db", "sqlite:///own.db")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["level"] == "commit"
    assert found["culprit"] == clone.commits[CULPRIT - 1]
    assert found["subject"] == f"change {CULPRIT}"
    assert found["range"][0] == clone.commits[CULPRIT - 2]


def test_git_bisect_run_names_the_same_commit(clone: Clone) -> None:
    clone.start()
    code, said = clone.run("--regress", "accept")
    assert code == 0, said
    assert f"{clone.commits[CULPRIT - 1]} is the first bad commit" in said


@pytest.mark.parametrize(
    ("more", "config", "env", "code"),
    [
        ((), "wrong.toml", {}, 130),
        (("--spec", "nonsense"), "matrix.toml", {}, 130),
        (("--no-such-option",), "matrix.toml", {}, 130),
        ((), "missing.toml", {}, 130),
        (("--workload", "short"), "matrix.toml", {"MATRIX_HOME": "/dev/null/none", "MATRIX_DB": "sqlite:///x.db"}, 132),
    ],
)
def test_git_aborts_and_calls_nothing_bad_when_the_answer_is_none(
    clone: Clone, more: tuple[str, ...], config: str, env: dict[str, str], code: int
) -> None:
    (clone.here.folder / "wrong.toml").write_text("[engines]\nnonsense = 1\n")
    if code == 132:
        (clone.here.folder / "git.db").unlink(missing_ok=True)
    clone.start()
    ended, said = clone.run(*more, config=config, env=env)
    assert ended not in (0, 1), said
    assert f"exit code {code}" in said
    assert clone.called_bad() == set()


def test_a_step_outside_a_bisection_is_a_usage_error(clone: Clone, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=os.environ)
    words = [
        sys.executable,
        "-m",
        "matrix",
        "bisect",
        "step",
        *CELL,
        "--config",
        str(clone.here.folder / "matrix.toml"),
    ]
    done = subprocess.run(words, cwd=tmp_path, env=clone.here.env, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "no git bisection is under way" in done.stderr
