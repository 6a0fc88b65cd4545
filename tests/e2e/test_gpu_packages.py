"""Packages of both engines as a machine with a GPU sweeps them: stub wheels of the engines' names, and `nvidia-smi` of our own."""

import json
import os
from pathlib import Path

import pytest

from tests.e2e.kit import ONCE, Place, place
from tests.fakes.embed import sglang_files, vllm_files
from tests.fakes.wheels import wheel

SMI = """#!/bin/sh
case "$1" in
--query*) echo 'NVIDIA H200, GPU-1, 143771, 590.48.01, 9.0' ;;
*) echo '| NVIDIA-SMI 590.48.01   Driver Version: 590.48.01   CUDA Version: 13.1 |' ;;
esac
"""
MATRIX = """\
executor = "venv"

[engines.vllm]
install = "pip"
versions = ["0.33.0"]
env = { FAKE_ENGINE_VERSION = "0.33.0" }

[engines.sglang]
install = "pip"
versions = ["0.5.23"]
env = { FAKE_ENGINE_VERSION = "0.5.23" }

[targets.tiny]
path = "models/target"

[drafts.head]
path = "models/head"

[specs.eagle3]
method = "eagle3"
draft = "head"
k = 3

[workloads.short]
limit = 2
max_tokens = 32
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Place:
    root = tmp_path_factory.mktemp("packages")
    made = place(root)
    wheel(made.wheels, "vllm", "0.33.0", vllm_files())
    wheel(made.wheels, "sglang", "0.5.23", sglang_files())
    made.write(MATRIX + ONCE)
    return made


def shown(folder: Path, script: str) -> dict[str, str]:
    """An environment in which `nvidia-smi` is `script`."""
    (folder / "nvidia-smi").write_text(script)
    (folder / "nvidia-smi").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_without_a_gpu_the_plan_says_why_and_a_sweep_builds_nothing(here: Place, tmp_path: Path) -> None:
    db = ("--db", f"sqlite:///{tmp_path}/none.db")
    env = shown(tmp_path, "#!/bin/sh\nexit 9\n")
    rows = [json.loads(line) for line in here.run("plan", *db, "--json", env=env).stdout.splitlines()]
    assert [row["status"] for row in rows] == ["not-applicable"] * 4
    assert all("no NVIDIA GPU" in row["reason"] for row in rows)
    here.run("sweep", *db, env=env)
    assert {row["outcome"] for row in here.lines("results", *db)} == {"unsupported"}


def test_each_engine_s_package_is_installed_served_and_measured(here: Place, tmp_path: Path) -> None:
    done = here.run("sweep", env=shown(tmp_path, SMI))
    assert done.returncode == 0, done.stderr
    rows = here.lines("results")
    assert [(r["engine"], r["revision"], r["method"], r["outcome"]) for r in rows] == [
        ("vllm", "0.33.0", "none", "ok"),
        ("vllm", "0.33.0", "eagle3", "ok"),
        ("sglang", "0.5.23", "none", "ok"),
        ("sglang", "0.5.23", "eagle3", "ok"),
    ]
    assert all(r["hardware"] == "gpu NVIDIA H200 x1, driver 590.48.01, cuda 13.1" for r in rows)
    assert all(r["accept_length"] > 1 for r in rows if r["method"] == "eagle3")
