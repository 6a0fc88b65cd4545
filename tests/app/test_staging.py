"""Weights are fetched once, pinned to a commit, before anything is built; how far they are is told."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.staging import stage_models
from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell
from matrix.core.model import Model
from matrix.core.recipe import Recipe
from matrix.sources import hub
from matrix.store import Store
from tests.app.build import FakeExecutor, Seen, cell, planned
from tests.app.test_sweep import plan

COMMIT = "c" * 40
TINY = Model("tiny", f"/hub/snapshots/{COMMIT}", f"lab/tiny@{COMMIT}", f"hub lab/tiny@{COMMIT}")


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    calls: list[tuple[str, str | None]] = []

    def stage(repo: str, revision: str | None, tell: Callable[[str], None]) -> tuple[Path, str]:
        calls.append((repo, revision))
        tell("1.0 GiB of 2.0 GiB")
        return Path("/hub"), COMMIT

    monkeypatch.setattr(hub, "stage", stage)
    return calls


class Told(Seen):
    def __init__(self) -> None:
        super().__init__()
        self.details: list[tuple[str, str]] = []

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        super().phase(cell, phase, detail)
        self.details.append((phase, detail))


def test_each_model_is_fetched_once_and_told_of(staged: list[tuple[str, str | None]]) -> None:
    told = Told()
    two = [planned(replace(cell(spec), target=TINY)) for spec in ("baseline", "eagle")]
    unable = replace(planned(replace(cell("lookup"), target=replace(TINY, content="hub lab/other"))), unsupported="no")
    assert stage_models([*two, unable], told) == [TINY.source]
    assert staged == [("lab/tiny", COMMIT)]
    assert told.details == [("fetch", "lab/tiny: 1.0 GiB of 2.0 GiB")]
    assert stage_models(two, told, {TINY.source}) == []


def test_a_sweep_fetches_before_it_builds_and_stores_the_commit(
    tmp_path: Path, stored: Store, staged: list[tuple[str, str | None]]
) -> None:
    class Builder(FakeExecutor):
        def build(self, recipe: Recipe, log, note):  # type: ignore[no-untyped-def]
            assert staged == [("lab/tiny", COMMIT)]
            return super().build(recipe, log, note)

    run_sweep(plan(tmp_path, replace(cell("baseline"), target=TINY)), Builder(), stored, Told())
    (row,) = stored.read.results()
    view = stored.read.run(row.run_id)
    assert row.outcome == "ok"
    assert stored.runs.cell(view.row.run_id).target == TINY
