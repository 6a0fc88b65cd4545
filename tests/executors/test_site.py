"""An engine that is installed already: looked at, served from, and never changed."""

import sys
from pathlib import Path

import pytest

from matrix.core.errors import EnvironmentMismatchError
from matrix.core.recipe import Artifact, Recipe
from matrix.executors.site import installed_version
from tests.executors.venv_kit import answer, cell, executor, plan
from tests.fakes.wheels import STUB_ENGINE


def site(folder: Path, version: str = "1.0", record: str = "") -> Path:
    """A folder of site-packages that holds the stub engine."""
    for file, body in {
        "stub_engine/__init__.py": "",
        "stub_engine/server.py": STUB_ENGINE,
        f"stub_engine-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: stub-engine\nVersion: {version}\n",
        f"stub_engine-{version}.dist-info/RECORD": record,
        "other-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 2.0\n",
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(body)
    return folder


def recipe_of(folder: Path, version: str = "1.0", python: str = "") -> Recipe:
    return Recipe("site", (f"stub_engine=={version}",), site=str(folder), python=python)


def build(root: Path, recipe: Recipe) -> Artifact:
    return executor(root, root / "wheels").build(recipe, root / "log", lambda text: None)


def files(folder: Path) -> dict[str, float]:
    return {str(p): p.stat().st_mtime_ns for p in folder.rglob("*") if "__pycache__" not in str(p)}


def test_nothing_is_built_and_the_packages_are_listed(tmp_path: Path) -> None:
    folder = site(tmp_path / "site")
    artifact = build(tmp_path, recipe_of(folder))
    assert (artifact.kind, artifact.ref, artifact.build_s, artifact.reused) == ("site", str(folder), 0.0, True)
    assert {"stub-engine==1.0", "other==2.0"} <= set(artifact.lock)
    assert executor(tmp_path, tmp_path).built(recipe_of(folder))
    assert not (tmp_path / "cache" / "envs").exists()


def test_the_digest_follows_the_content_and_not_the_place(tmp_path: Path) -> None:
    first, same = build(tmp_path, recipe_of(site(tmp_path / "a"))), build(tmp_path, recipe_of(site(tmp_path / "b")))
    changed = build(tmp_path, recipe_of(site(tmp_path / "c", record="stub_engine/server.py,sha256=x,1")))
    assert first.digest == same.digest != changed.digest
    assert first.lock == changed.lock


def test_another_version_or_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentMismatchError, match=r"holds no stub_engine 2\.0 \(found: 1\.0\)"):
        build(tmp_path, recipe_of(site(tmp_path / "site"), "2.0"))
    with pytest.raises(EnvironmentMismatchError, match="found: none"):
        build(tmp_path, recipe_of(tmp_path / "absent"))
    with pytest.raises(EnvironmentMismatchError):
        build(tmp_path, recipe_of(tmp_path / "site", python="/no/such/python"))


def test_the_server_runs_from_the_folder_with_the_interpreter(tmp_path: Path) -> None:
    folder = site(tmp_path / "site")
    artifact = build(tmp_path, recipe_of(folder, python=sys.executable))
    ex = executor(tmp_path, tmp_path / "wheels")
    with ex.serve(artifact, cell(tmp_path), plan(), "run-1", tmp_path / "server.log") as server:
        assert server.command[0] == sys.executable
        env = answer(server.url)["env"]
    assert env["PYTHONPATH"] == str(folder)
    assert "VIRTUAL_ENV" not in env and str(Path(sys.executable).parent) in env["PATH"].split(":")


def test_reaping_and_failing_leave_the_folder_alone(tmp_path: Path) -> None:
    folder = site(tmp_path / "cache" / "envs" / ("a" * 16))  # even where environments lie, without a marker
    before = files(folder)
    ex = executor(tmp_path, tmp_path / "wheels")
    ex.build(recipe_of(folder), tmp_path / "log", lambda text: None)
    with pytest.raises(EnvironmentMismatchError):
        ex.build(recipe_of(folder, "9.9"), tmp_path / "log", lambda text: None)
    ex.reap()
    assert files(folder) == before


def test_names_are_compared_as_indexes_compare_them(tmp_path: Path) -> None:
    folder = site(tmp_path / "site")
    assert installed_version(folder, "Stub.Engine") == "1.0"
    assert installed_version(folder, "absent") is None and installed_version(tmp_path / "none", "stub-engine") is None
