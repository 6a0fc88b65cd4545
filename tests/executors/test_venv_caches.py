"""Compile caches: each cell has its own, wherever an engine or its libraries would look for one."""

from dataclasses import replace
from pathlib import Path

from matrix.core.recipe import LaunchPlan
from matrix.executors.venv_environ import COMPILED, MODEL_NOTES, cell_caches, server_environ
from matrix.executors.venv_record import Record
from tests.executors.venv_kit import cell

PARENT = {**dict.fromkeys(COMPILED, "/shared"), "HOME": "/home/me", "PATH": "/bin", "XDG_CACHE_HOME": "/cache"}


def environ(
    root: Path, caches: Path, parent: dict[str, str] = PARENT, plan: LaunchPlan | None = None
) -> dict[str, str]:
    record = Record("run", "me", str(root / "scratch"))
    return server_environ(parent, plan or LaunchPlan("engine", ()), root / "env", caches, record)


def test_two_cells_share_no_folder_that_anything_is_compiled_into(tmp_path: Path) -> None:
    one = cell(tmp_path)
    others = [replace(one, boot=1), replace(one, workload=replace(one.workload, max_tokens=9))]
    folders = [cell_caches(root, c) for root in (tmp_path / "env-a", tmp_path / "env-b") for c in (one, *others)]
    assert len(set(folders)) == 6
    places = [{environ(tmp_path, folder)[name] for name in COMPILED} for folder in folders]
    assert all(Path(place).is_relative_to(folder) for folder, of in zip(folders, places, strict=True) for place in of)
    assert len(set.union(*places)) == sum(map(len, places))
    assert cell_caches(tmp_path / "env-a", one) == folders[0], "the same cell finds what it compiled"


def test_notes_on_model_classes_alone_are_shared_within_an_environment(tmp_path: Path) -> None:
    one = cell(tmp_path)
    notes = [cell_caches(tmp_path / "env", c) / "vllm" / MODEL_NOTES for c in (one, replace(one, boot=1))]
    (notes[0] / "note").write_text("x")
    assert (notes[1] / "note").read_text() == "x"
    assert not (cell_caches(tmp_path / "other", one) / "vllm" / MODEL_NOTES / "note").exists()


def test_the_model_hub_stays_where_the_user_has_it(tmp_path: Path) -> None:
    assert environ(tmp_path, tmp_path)["HF_HOME"] == "/cache/huggingface"
    assert environ(tmp_path, tmp_path, {"HOME": "/home/me"})["HF_HOME"] == "/home/me/.cache/huggingface"
    assert environ(tmp_path, tmp_path, PARENT | {"HF_HOME": "/hub"})["HF_HOME"] == "/hub"
    unset = LaunchPlan("engine", (), unset=("HF_HOME",))
    assert "HF_HOME" not in environ(tmp_path, tmp_path, plan=unset)


def test_a_cell_may_name_a_cache_of_its_own(tmp_path: Path) -> None:
    plan = LaunchPlan("engine", (), env=(("TRITON_CACHE_DIR", "/mine"),))
    assert environ(tmp_path, tmp_path, plan=plan)["TRITON_CACHE_DIR"] == "/mine"
