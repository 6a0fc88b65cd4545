"""Keys: what makes two cells the same, and what does not."""

from dataclasses import replace

from matrix.core.cell import Cell
from matrix.core.revision import Revision
from matrix.plan.expand import expand
from tests.plan.build import config, inputs


def cell() -> Cell:
    return next(c for c in expand(config(), inputs()).cells if c.spec.name == "eagle")


def key(c: Cell, recipe: str = "recipe", probe: str = "1") -> str:
    return c.content_key(recipe, probe)


def test_every_part_of_a_cell_is_in_its_content_key() -> None:
    base = cell()
    assert base.spec.draft is not None
    others = [
        replace(base, revision=Revision("vllm", "9.9")),
        replace(base, target=replace(base.target, content="other")),
        replace(base, spec=replace(base.spec, k=4)),
        replace(base, spec=replace(base.spec, draft=replace(base.spec.draft, content="other"))),
        replace(base, launch=replace(base.launch, flags=("--x",))),
        replace(base, workload=replace(base.workload, max_tokens=7)),
        replace(base, hardware=replace(base.hardware, cores=64)),
        replace(base, executor="docker"),
        replace(base, boot=1),
    ]
    keys = {key(c) for c in others} | {key(base), key(base, "other recipe"), key(base, probe="2")}
    assert len(keys) == len(others) + 3


def test_names_and_folders_do_not_matter() -> None:
    base = cell()
    moved = replace(
        base,
        target=replace(base.target, path="/elsewhere"),
        spec=replace(base.spec, name="renamed"),
        workload=replace(base.workload, name="renamed"),
    )
    assert key(moved) == key(base)
    assert moved.series_key == base.series_key


def test_a_series_runs_through_revisions_and_boots() -> None:
    base = cell()
    assert replace(base, revision=Revision("vllm", "9.9"), boot=3).series_key == base.series_key
    assert replace(base, executor="docker").series_key != base.series_key
    assert base.baseline.series_key != base.series_key
    assert base.baseline.spec.is_baseline
