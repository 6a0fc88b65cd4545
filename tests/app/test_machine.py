"""Runs that say nothing about the engine are not held against it."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from matrix.app import machine
from matrix.app.machine import blamed_on_machine
from matrix.app.run_cell import run_cell
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.core.result import RunResult
from matrix.sources import weights
from tests.app.build import FakeExecutor, bench, cell
from tests.fakes.engine import Script


def on_disk(tmp_path: Path) -> Cell:
    """The EAGLE cell with models that lie in `tmp_path`, hashed as a plan does."""
    made = cell("eagle")
    draft = made.spec.draft
    assert draft is not None
    models = []
    for name, model in (("big", made.target), ("head", draft)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_text(name)
        models.append(replace(model, path=str(folder), content=weights.content_hash(folder, tmp_path / "cache")))
    return replace(made, target=models[0], spec=replace(made.spec, draft=models[1]))


def run(of: Cell, tmp_path: Path, mode: str = "ok") -> RunResult:
    return run_cell(of, bench(FakeExecutor(eagle=Script(mode=mode)), tmp_path, request_s=2, start_s=2), "run1")


def test_a_run_over_the_planned_files_stands(tmp_path: Path) -> None:
    assert run(on_disk(tmp_path), tmp_path).outcome is Outcome.OK


@pytest.mark.parametrize("mode", ["ok", "garbage"])
@pytest.mark.parametrize("name", ["big", "head"])
def test_weights_that_changed_since_the_plan_are_another_cell(tmp_path: Path, mode: str, name: str) -> None:
    planned = on_disk(tmp_path)
    (tmp_path / name / "model.safetensors").write_text("retrained")
    result = run(planned, tmp_path, mode)
    assert result.outcome is Outcome.INFRA
    assert name in result.reason and "changed while the sweep ran" in result.reason
    assert result.failure is not None and "run the sweep again" in result.failure.next_step


def test_weights_that_went_away_are_no_crash_of_the_engine(tmp_path: Path) -> None:
    planned = on_disk(tmp_path)
    for file in (tmp_path / "head").iterdir():
        file.unlink()
    assert run(planned, tmp_path, "garbage").outcome is Outcome.INFRA


def test_a_failure_on_a_full_disk_is_the_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed, fine = run(cell("eagle"), tmp_path, "garbage"), run(cell("eagle"), tmp_path)
    assert failed.outcome is Outcome.LOAD_CRASH
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda path: SimpleNamespace(free=4096))
    blamed = blamed_on_machine(failed, tmp_path)
    assert (blamed.outcome, blamed.samples) == (Outcome.INFRA, failed.samples)
    assert "is full" in blamed.reason
    assert blamed_on_machine(fine, tmp_path) == fine
