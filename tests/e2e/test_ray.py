"""Sweeps through a Ray cluster of two nodes with declared GPUs: the same rows as without Ray, also when a node dies."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from matrix.executors.processes import OWNER
from tests.e2e.kit import Place, place, servers_of, toml
from tests.e2e.test_kill import until
from tests.require import require

pytestmark = pytest.mark.ray

SMALL = {"include_dashboard": False, "object_store_memory": 80 * 2**20, "node_ip_address": "127.0.0.1"}
MEASURED = "revision spec outcome accept_length per_position verify_steps proposed accepted samples executor hardware"
QUIET = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""Without the first, a cluster on the loopback address is waited for and never found."""


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
    """A project whose index of wheels is known to the nodes, which inherit the environment of the test."""
    made = place(tmp_path)
    for name, value in {**made.env, **QUIET}.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def nodes(here: Place) -> Iterator[Nodes]:
    require("ray", importlib.util.find_spec("ray") is not None, "ray is not installed")
    made = Nodes()
    yield made
    made.cluster.shutdown()


def written(here: Place, nodes: Nodes, **script: Any) -> None:
    text = toml(script, extra=nodes.head).replace("[engines.vllm]\n", "[engines.vllm]\ngpus = 1\n")
    here.write(text)


def measured(here: Place, *args: str) -> list[tuple[str, ...]]:
    """What runs measured, whichever ended first."""
    return sorted(tuple(str(row[name]) for name in MEASURED.split()) for row in here.lines("results", *args))


def test_rows_are_those_of_a_sweep_without_ray_although_a_node_dies(here: Place, nodes: Nodes) -> None:
    written(here, nodes, token_s=0.01)
    alone = ("--db", f"sqlite:///{here.folder}/alone.db")
    done = here.run("sweep", "--executor", "venv", *alone)
    assert done.returncode == 0, done.stderr
    sweep = here.start("sweep", "--executor", "ray")
    until(lambda: len(owners(here)) == 2, sweep, 120)
    nodes.kill(nodes.nodes[0])
    code, said = sweep.wait(timeout=240), (here.folder / "sweep.err").read_text()
    assert code == 0 and "the cell is queued again" in said and "raylet" not in said, said
    assert measured(here) == measured(here, *alone)
    assert servers_of(here.folder) == []
    (view,) = here.lines("status")
    assert (view["status"], view["done"], view["total"]) == ("done", 4, 4)


def owners(here: Place) -> set[str]:
    """The processes of nodes that serve a cell now."""
    found = set()
    for server in servers_of(here.folder):
        try:
            found.add(server.environ()[OWNER])
        except (psutil.Error, KeyError):
            continue
    return found
