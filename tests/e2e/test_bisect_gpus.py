"""A bisection on a host with several GPUs, as `nvidia-smi` of our own tells: several points at a time, no GPU twice."""

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from matrix.store import open_store
from tests.e2e.kit import Place, place, toml
from tests.fakes.embed import vllm_files
from tests.fakes.wheels import wheel

VERSIONS = [f"0.33.{i}" for i in range(10)]
CULPRIT = "0.33.6"
SMI = """#!/bin/sh
case "$1" in
--query-gpu=name*) for i in 0 1 2; do echo "NVIDIA H200, GPU-$i, 143771, 590.48.01, 9.0"; done ;;
--query-gpu=uuid*) echo 'GPU-0, 70000, 143771'; echo 'GPU-1, 10, 143771'; echo 'GPU-2, 10, 143771' ;;
--query-compute*) echo 'GPU-0, 4711, python3, 69990' ;;
*) echo '| NVIDIA-SMI 590.48.01   Driver Version: 590.48.01   CUDA Version: 13.1 |' ;;
esac
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = place(tmp_path_factory.mktemp("gpus"))
    for version in VERSIONS:
        wheel(made.wheels, "vllm", version, vllm_files())
    bad = {v: {"acceptance": [0.0, 0.0, 0.0]} for v in VERSIONS[VERSIONS.index(CULPRIT) :]}
    text = toml({"by_version": bad}, versions='"0.33.0"')
    made.write(text.replace("[engines.vllm]", '[engines.vllm]\ninstall = "pip"'))
    tool = made.folder.parent / "tools" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(SMI)
    tool.chmod(0o755)
    return made


def search(here: Place, db: Path, *more: str) -> tuple[dict[str, Any], str]:
    cell = ("--engine", "vllm", "--target", "tiny", "--draft", "head")
    ends = ("--good", VERSIONS[0], "--bad", VERSIONS[-1])
    env = {"PATH": f"{here.folder.parent / 'tools'}:{os.environ['PATH']}"}
    done = here.run("bisect", "run", *cell, *ends, "--yes", "--json", "--db", f"sqlite:///{db}", *more, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_two_points_run_at_a_time_on_the_two_gpus_that_are_free(here: Place, tmp_path: Path) -> None:
    found, said = search(here, tmp_path / "two.db", "--parallel", "3")
    assert found["culprit"] == CULPRIT, said
    store = open_store(f"sqlite:///{tmp_path}/two.db")
    assert store.leases.held() == []
    spans = [(v.created_at, v.finished_at) for v in (store.read.sweep(n) for n in range(1, found["runs"] + 1))]
    store.close()
    assert any(begun < ended for (_, ended), (begun, _) in pairwise(spans) if ended is not None)
