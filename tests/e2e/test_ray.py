"""Sweeps through a Ray cluster of two nodes with declared GPUs: the same rows as without Ray, also when a node dies."""

import importlib.util
import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from matrix.executors.processes import OWNER
from tests.e2e.kit import Place, place, servers_of, toml
from tests.e2e.test_kill import until
from tests.fakes.embed import vllm_files
from tests.fakes.wheels import wheel
from tests.require import require

pytestmark = pytest.mark.ray

SMALL = {"include_dashboard": False, "object_store_memory": 80 * 2**20, "node_ip_address": "127.0.0.1"}
VERSIONS = ("0.33.0", "0.33.1")
MEASURED = "revision spec outcome accept_length per_position verify_steps proposed accepted samples executor hardware"
QUIET = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""Without the first, a cluster on the loopback address is waited for and never found."""
SMI = """#!/bin/sh
case "$1" in
--query-gpu=name*) echo "NVIDIA H200, GPU-0, 143771, 590.48.01, 9.0" ;;
--query-gpu=uuid*) echo 'GPU-0, 10, 143771' ;;
--query-compute*) ;;
*) echo '| NVIDIA-SMI 590.48.01   Driver Version: 590.48.01   CUDA Version: 13.1 |' ;;
esac
"""
"""A GPU as the tool of its driver tells of it."""


class Nodes:
    """A head that takes no cell, and nodes that take one each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **SMALL})
        self.nodes = [self.add(), self.add()]

    def add(self) -> Any:
        return self.cluster.add_node(num_cpus=1, num_gpus=1, resources={"small": 1}, **SMALL)

    @property
    def head(self) -> str:
        return f'[ray]\naddress = "{self.cluster.address}"\nresources = {{ small = 1 }}\n'

    def kill(self, node: Any) -> None:
        """End its processes at once, as a host that loses its power."""
        self.nodes.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project whose index of wheels and whose GPU are known to the nodes, which inherit the environment of the test."""
    made = place(tmp_path)
    for version in VERSIONS:
        wheel(made.wheels, "vllm", version, vllm_files())
    tool = tmp_path / "tools" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(SMI)
    tool.chmod(0o755)
    path = f"{tool.parent}:{os.environ['PATH']}"
    for name, value in {**made.env, **QUIET, "PATH": path}.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def nodes(here: Place) -> Iterator[Nodes]:
    require("ray", importlib.util.find_spec("ray") is not None, "ray is not installed")
    made = Nodes()
    yield made
    made.cluster.shutdown()


def written(here: Place, nodes: Nodes, **script: Any) -> None:
    versions = ", ".join(f'"{version}"' for version in VERSIONS)
    text = toml(script, versions=versions, extra=nodes.head)
    here.write(text.replace("[engines.vllm]\n", '[engines.vllm]\ninstall = "pip"\n'))


def measured(here: Place, *args: str) -> list[tuple[str, ...]]:
    """What runs measured, whichever ended first."""
    return sorted(tuple(str(row[name]) for name in MEASURED.split()) for row in here.lines("results", *args))


def test_rows_are_those_of_a_sweep_without_ray_although_a_node_dies(here: Place, nodes: Nodes) -> None:
    written(here, nodes)
    alone = ("--db", f"sqlite:///{here.folder}/alone.db")
    done = here.run("sweep", "--executor", "venv", *alone)
    assert done.returncode == 0, done.stderr
    written(here, nodes, token_s=0.03)  # slow enough to be met at work
    sweep = here.start("sweep", "--executor", "ray")
    until(lambda: len(owners(here)) == 2, sweep, 120)
    nodes.kill(nodes.nodes[0])
    code, said = sweep.wait(timeout=240), (here.folder / "sweep.err").read_text()
    assert code == 0 and "the cell is queued again" in said and "raylet" not in said, said
    assert measured(here) == measured(here, *alone)
    assert servers_of(here.folder) == []
    (view,) = here.lines("status")
    assert (view["status"], view["done"], view["total"]) == ("done", 4, 4)
    assert [note.endswith(", GPU 0") for note in places(here)] == [True] * 4, "each had asked for its GPU"


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_ended_sweep_leaves_nothing_and_the_next_one_goes_on(here: Place, nodes: Nodes, how: signal.Signals) -> None:
    written(here, nodes, token_s=0.02)
    sweep = here.start("sweep", "--executor", "ray")
    until(lambda: len(owners(here)) == 2, sweep, 120)
    sweep.send_signal(how)
    assert sweep.wait(timeout=120) == (130 if how == signal.SIGINT else -how)
    if how == signal.SIGINT:
        assert servers_of(here.folder) == []
    done = here.run("sweep", "--executor", "ray")
    assert done.returncode == 0, done.stderr
    assert [row["outcome"] for row in here.lines("results")] == ["ok"] * 4
    assert servers_of(here.folder) == []


def places(here: Place) -> list[str]:
    """Where Ray has put each run."""
    with closing(sqlite3.connect(here.folder / "matrix.db")) as db:
        return [json.loads(notes)[-1] for (notes,) in db.execute("SELECT artifact_notes FROM runs")]


def owners(here: Place) -> set[str]:
    """The processes of nodes that serve a cell now."""
    found = set()
    for server in servers_of(here.folder):
        try:
            found.add(server.environ()[OWNER])
        except (psutil.Error, KeyError):
            continue
    return found
