"""What a recipe may ask of the installer, asked inside an image: the same answers as in an environment of this host."""

import os
import uuid
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.errors import BuildError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors.docker import DockerExecutor, DockerSettings
from matrix.executors.docker.build import build_args
from tests.executors.stub_image import BASE_IMAGE
from tests.fakes.simple_index import simple_index
from tests.fakes.wheels import wheel

COMMIT = "25268f0c9" + "a" * 31
DEV = "1.1.dev3+g25268f0c9"


def executor(root: Path, *indexes: str) -> DockerExecutor:
    bundle = Path(os.environ.get("PIP_CERT", ""))
    settings = DockerSettings(BASE_IMAGE, ca_bundle=bundle if bundle.is_file() else None, build_network="host")
    index = IndexSettings(extra_index_urls=indexes)
    return DockerExecutor(root / "cache", root / "state", settings, index=lambda: index)


@pytest.mark.docker
def test_a_commits_wheel_a_date_an_override_and_pre_releases(docker_daemon: DockerClient, tmp_path: Path) -> None:
    """The user's index has newer releases than the commit's, and neither tells dates."""
    wheel(tmp_path / "commit", "stub-engine", DEV, requires=["stub-dep", "stub-other==9"])
    for name, version in (("stub-engine", "2.0"), ("stub-dep", "0.1"), ("stub-dep", "0.2b1"), ("stub-other", "1.0")):
        wheel(tmp_path / "users", name, version)
    notes: list[str] = []
    with simple_index(tmp_path / "users") as users, simple_index(tmp_path / "commit") as own:
        recipe = Recipe(
            f"real-{uuid.uuid4().hex[:8]}",
            ("stub-engine",),
            dockerfile="vllm.Dockerfile",
            indexes=(f"{own}/{COMMIT}",),
            overrides=("stub-other==1.0",),
            prerelease=True,
            before="2025-06-01",
        )
        made = executor(tmp_path, users).build(recipe, tmp_path / "log", notes.append)
    docker_daemon.images.remove(made.ref, force=True)
    assert made.lock == ("stub-dep==0.2b1", f"stub-engine=={DEV}", "stub-other==1.0")
    assert made.notes == ("the index tells no upload dates: installing without the date 2025-06-01",)
    assert set(made.notes) <= set(notes)


@pytest.mark.docker
def test_a_commit_without_a_wheel_fails_and_leaves_no_image(docker_daemon: DockerClient, tmp_path: Path) -> None:
    wheel(tmp_path / "users", "stub-engine", "2.0")
    (tmp_path / "empty").mkdir()
    with simple_index(tmp_path / "users") as users, simple_index(tmp_path / "empty") as own:
        recipe = Recipe("real-none", ("stub-engine",), dockerfile="sglang.Dockerfile", indexes=(f"{own}/{COMMIT}",))
        ex = executor(tmp_path, users)
        with pytest.raises(BuildError, match="stub-engine"):
            ex.build(recipe, tmp_path / "log", lambda _: None)
        assert not ex.built(recipe)


def test_indexes_of_a_recipe_stay_out_where_the_user_has_none() -> None:
    recipe = Recipe("x", ("vllm",), indexes=(f"https://wheels.example/{COMMIT}",))
    asked, offline = (build_args(recipe, "base", IndexSettings(no_index=no), "b") for no in (False, True))
    assert (asked["INDEXES"], asked["FIRST"]) == (recipe.indexes[0], "vllm")
    assert (offline["INDEXES"], offline["FIRST"]) == ("", "")
