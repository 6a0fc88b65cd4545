"""`executor = "ray"` in a file or on the command line: what it stands for, and what it cannot be."""

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest

from matrix.app.executors import Defaults, make_executor
from matrix.app.gather import Source
from matrix.app.setup import executor_name
from matrix.core.errors import ConfigError
from matrix.executors.on_ray import Wants
from matrix.plan.ray import RayTable
from tests.plan.build import MINIMAL

SITE = MINIMAL.replace("[engines.vllm]", '[engines.vllm]\ninstall = "site"\nsite = "/s"')


def source(tmp_path: Path, text: str) -> Source:
    file = tmp_path / "matrix.toml"
    file.write_text(text)
    return Source(file)


def test_cells_are_named_after_what_serves_them_on_the_node(tmp_path: Path) -> None:
    for inner in ("venv", "docker"):
        tables = Defaults(ray=RayTable.model_validate({"executor": inner}))
        assert make_executor("ray", tables, tmp_path, tmp_path).name == inner


def test_it_is_chosen_by_the_file_or_the_command_line(tmp_path: Path) -> None:
    assert executor_name(source(tmp_path, f'executor = "ray"\n{MINIMAL}'), None) == "ray"
    assert executor_name(source(tmp_path, MINIMAL), "ray") == "ray"
    assert executor_name(source(tmp_path, SITE), "ray") == "ray"


def test_what_the_nodes_executor_cannot_serve_is_named(tmp_path: Path) -> None:
    docker = '\n[ray]\nexecutor = "docker"\n'
    with pytest.raises(ConfigError, match=r'executor = "venv". in \[ray\]') as caught:
        executor_name(source(tmp_path, SITE + docker), "ray")
    assert caught.value.where.key == "engines.vllm.install"
    with pytest.raises(ConfigError, match="served by the venv executor"):
        source(tmp_path, f'executor = "ray"\n{SITE}{docker}').config  # noqa: B018 - reads the file


@pytest.mark.parametrize(
    ("line", "key", "says"),
    [
        ('address = "ray://head:10001"', "ray.address", "HOST:PORT"),
        ('address = "local"', "ray.address", "HOST:PORT"),
        ('address = "head:99999999"', "ray.address", "HOST:PORT"),
        ("cpus = 1e-9", "ray.cpus", "the least"),
        ("resources = { GPU = 1 }", "ray.resources", "`gpus` of an engine"),
        ("resources = { h200 = 1.5 }", "ray.resources.h200", "whole number"),
        ("cpus = 2.5", "ray.cpus", "whole number"),
    ],
)
def test_what_ray_would_refuse_is_refused_before(line: str, key: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        source(tmp_path, f"{MINIMAL}\n[ray]\n{line}\n").config  # noqa: B018 - reads the file
    assert caught.value.where.key == key


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "ray":
            raise ModuleNotFoundError("No module named 'ray'")
        return real(name, *args, **more)

    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"specmatrix\[ray\]"):
        make_executor("ray", Defaults(), tmp_path, tmp_path).reap()


def test_a_cell_asks_for_its_gpus_and_the_files_resources() -> None:
    wants = Wants(cpus=2, resources={"h200": 1})
    assert wants.resources_of(4) == {"CPU": 2, "GPU": 4, "h200": 1}
    assert Wants(cpus=0).resources_of(0) == {}
