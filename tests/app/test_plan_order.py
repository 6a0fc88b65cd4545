"""The order of a plan: each artifact is needed once and in one piece, and so is each server."""

from itertools import groupby, pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.app.planned import recipe_of
from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell
from matrix.core.model import Model
from matrix.core.recipe import Recipe
from matrix.core.revision import Revision
from matrix.core.workload import Prompt, Workload
from matrix.plan.expand import Inputs, expand
from matrix.plan.parse import parse_config
from matrix.store import Store
from tests.app.build import FakeExecutor, Seen
from tests.app.test_gpus import H200S
from tests.app.test_sweep import plan

TABLES = {
    "vllm": "",
    "eager": 'engine = "vllm"\nflags = ["--enforce-eager"]\n',
    "gpu": 'engine = "vllm"\ninstall = "pip"\n',
    "half": 'engine = "vllm"\ninstall = "pip"\ndtype = "float16"\n',
    "sglang": 'install = "pip"\n',
    "older": 'engine = "sglang"\ninstall = "pip"\npython = "3.11"\n',
}
RELEASES = ["0.5.1", "0.5.2", "0.5.3"]
REST = """
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

[specs.lookup]
method = "ngram"
k = 5
targets = ["big"]
"""

versions = st.lists(st.sampled_from(RELEASES), min_size=1, unique=True)
tables = st.dictionaries(st.sampled_from(sorted(TABLES)), versions, min_size=1)
workloads = st.lists(st.sampled_from(["short", "long", "aged"]), min_size=1, unique=True)
selectors = st.sampled_from([(), ("spec=eagle",), ("spec=lookup", "spec=eagle"), ("target=small",), ("*/long",)])


def cells(chosen: dict[str, list[str]], named: list[str], select: tuple[str, ...] = ()) -> tuple[Cell, ...]:
    texts = [f"[engines.{name}]\nversions = {found}\n{TABLES[name]}" for name, found in chosen.items()]
    config = parse_config("\n".join(texts).replace("'", '"') + REST, "matrix.toml")
    prompts = (Prompt("p1", "code", "def f("),)
    asked = Inputs(
        versions={
            name: [Revision(config.engines[name].engine or name, v) for v in found] for name, found in chosen.items()
        },
        targets={name: Model(name, f"/models/{name}", name, f"hash-{name}") for name in ("big", "small")},
        drafts={"head": Model("head", "/models/head", "head", "hash-head")},
        workloads={
            name: Workload(name, prompts, 32 + len(name), uptime_min=1 if name == "aged" else 0) for name in named
        },
        hardware=H200S,
        executor="venv",
    )
    return expand(config, asked, select).cells


def changes(keys: list[str]) -> int:
    return sum(1 for one, other in pairwise(keys) if one != other)


@settings(max_examples=150, deadline=None)
@given(tables, workloads, selectors)
def test_an_artifact_is_left_only_when_all_of_its_cells_have_run(
    chosen: dict[str, list[str]], named: list[str], select: tuple[str, ...]
) -> None:
    found = cells(chosen, named, select)
    artifacts = [recipe_of(cell).hash for cell in found]
    assert changes(artifacts) == max(len(set(artifacts)) - 1, 0)
    place = {cell: at for at, cell in enumerate(found)}
    assert len(place) == len(found)
    assert all(place[cell.baseline] < at for cell, at in place.items() if not cell.spec.is_baseline)
    boots = [
        list(group)
        for _, group in groupby(
            found, key=lambda cell: (cell.launch, cell.target, cell.spec, cell.revision, cell.install)
        )
    ]
    firsts = [group[0] for group in boots if not group[0].workload.uptime_min]
    assert not any(one.shares_server(other) for at, one in enumerate(firsts) for other in firsts[at + 1 :])


class Building(FakeExecutor):
    """Notes what it is asked to build."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def build(self, recipe: Recipe, log, note):  # type: ignore[no-untyped-def]
        self.asked.append(recipe.hash)
        return super().build(recipe, log, note)


def test_a_worker_runs_them_in_this_order(tmp_path: Path, stored: Store) -> None:
    executor = Building()
    two = {"vllm": ["1.0.0", "1.1.0"], "eager": ["1.1.0", "1.0.0"]}
    found = cells(two, ["short"], ("target=small",))
    run_sweep(plan(tmp_path, *found), executor, stored, Seen())
    assert len(executor.asked) == len(found) == 8
    assert changes(executor.asked) == len(set(executor.asked)) - 1 == 1
