"""Small configs and inputs for tests of planning."""

from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.revision import Revision
from matrix.core.workload import Prompt, Workload
from matrix.plan.config import Config
from matrix.plan.expand import Inputs
from matrix.plan.parse import parse_config

MINIMAL = """\
[engines.vllm]
versions = ["1.0.0", "1.1.0"]

[targets.big]
path = "models/big"

[targets.small]
path = "models/small"

[drafts.head]
path = "models/head"

[specs.eagle]
method = "eagle3"
draft = "head"
k = 3
targets = ["big"]

[specs.lookup]
method = "ngram"
steps = 5
"""


def config(extra: str = "") -> Config:
    return parse_config(MINIMAL + extra, "matrix.toml")


def inputs(versions: list[str] | None = None, engine: str = "vllm") -> Inputs:
    return Inputs(
        versions={"vllm": [Revision(engine, version) for version in versions or ["1.0.0", "1.1.0"]]},
        targets={name: Model(name, f"/models/{name}", name, f"hash-{name}") for name in ("big", "small")},
        drafts={"head": Model("head", "/models/head", "head", "hash-head")},
        workloads={"standard": Workload("standard", (Prompt("p1", "code", "def f("),), 32)},
        hardware=Hardware("test cpu", 2),
        executor="venv",
    )
