"""A registry of one's own on loopback: images outlive their tags upstream, and stay what runs know them by."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from docker import DockerClient

from matrix.core.recipe import Artifact, Overlay, Recipe
from matrix.executors.docker import DockerExecutor, DockerSettings
from matrix.executors.docker.paths import dockerfile_text
from matrix.sources import registry
from tests.executors.docker_kit import seen
from tests.executors.stub_image import BASE_IMAGE, stub_cell, stub_dockerfile, stub_plan, stub_recipe
from tests.executors.test_docker_pull import publish, stub_steps
from tests.fakes.history import History
from tests.fakes.image_registry import MANIFEST, image_registry

pytestmark = pytest.mark.docker
REPOSITORY = "vllm/vllm-openai"


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with image_registry(tmp_path_factory.mktemp("upstream")) as host:
        yield host


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with image_registry(tmp_path_factory.mktemp("mirror")) as host:
        yield f"{host}/specmatrix"


def executor(root: Path, mirror: str) -> DockerExecutor:
    settings = DockerSettings(
        base_image=BASE_IMAGE, grace_s=2, memory_gib=0.25, shm_gib=0.03125, pids_limit=64, mirror=mirror
    )
    return DockerExecutor(root / "cache", root / "state", settings, dockerfile=dockerfile)


def dockerfile(name: str) -> str:
    """The real ones of commits, the stub for everything else."""
    return dockerfile_text(name) if name.endswith("-commit.Dockerfile") else stub_dockerfile()


def delete(host: str, digest: str) -> None:
    answer = requests.delete(f"http://{host}/v2/{REPOSITORY}/manifests/{digest}", timeout=30)
    answer.raise_for_status()
    gone = requests.get(f"http://{host}/v2/{REPOSITORY}/manifests/{digest}", headers={"Accept": MANIFEST}, timeout=30)
    assert gone.status_code == 404


def forget(client: DockerClient, repository: str) -> None:
    for image in client.images.list(repository):
        client.images.remove(image.id, force=True)


def test_a_tag_that_moved_and_was_deleted_still_gives_the_image_that_was_measured(
    docker_daemon: DockerClient, upstream: str, mirror: str, model_folder: Path, run_id: str, tmp_path: Path
) -> None:
    name = f"{upstream}/{REPOSITORY}:v9.9.0"
    publish(docker_daemon, name, stub_steps("9.9.0"))
    assert registry.tags(f"{upstream}/{REPOSITORY}") == ["v9.9.0"], "discovery reads the tags"
    ex, recipe, log, notes = (
        executor(tmp_path, mirror),
        Recipe("vllm", ("vllm==9.9.0",), image=name),
        tmp_path / "log",
        [],
    )
    try:
        first = ex.build(recipe, log, notes.append)
        copy = f"{mirror}/{upstream.replace(':', '-')}/{REPOSITORY}"
        assert registry.digest(f"{copy}:{first.digest.replace(':', '-')}") is not None
        assert not any(tag.startswith(mirror) for tag in docker_daemon.images.get(first.ref).tags)

        publish(docker_daemon, name, [*stub_steps("9.9.0"), "touch /moved"])
        forget(docker_daemon, name.rpartition(":")[0])
        forget(docker_daemon, copy)
        moved = registry.digest(name)
        assert moved != first.digest
        assert same(ex.build(recipe, log, notes.append), first), "upstream has its old digest still"

        forget(docker_daemon, name.rpartition(":")[0])
        delete(upstream, first.digest)
        assert registry.digest(name) == moved, "the tag is there and stands for something else"
        notes.clear()
        assert same(ex.build(recipe, log, notes.append), first)
        assert any("cannot be had" in note and first.digest in note for note in notes)
        again = ex.build(recipe, log, notes.append)
        assert (same(again, first), again.reused) == (True, True)

        forget(docker_daemon, name.rpartition(":")[0])
        delete(upstream, str(moved))
        assert registry.digest(name) is None
        last = executor(tmp_path, mirror).build(recipe, log, notes.append)
        assert same(last, first)
        with ex.serve(last, stub_cell(model_folder), stub_plan("serve"), run_id, tmp_path / "server.log") as server:
            assert seen(server)["argv"] == ["serve"]
        history = History(tmp_path / "clone")
        commit = history.commit({"vllm/__init__.py": "NAME = 'commit'\n"})
        laid = replace(recipe, overlay=Overlay(str(history.folder), commit, "vllm", "vllm"))
        over = ex.build(laid, log, notes.append)
        above = docker_daemon.images.get(over.digest).attrs["RootFS"]["Layers"]
        below = docker_daemon.images.get(name).attrs["RootFS"]["Layers"]
        docker_daemon.images.remove(over.digest, force=True)
        assert above[: len(below)] == below, "a commit lies over the copy as over the original"
    finally:
        for repository in (name.rpartition(":")[0], copy):
            forget(docker_daemon, repository)


def same(one: Artifact, other: Artifact) -> bool:
    return (one.ref, one.digest, one.lock) == (other.ref, other.digest, other.lock)


def test_an_image_that_was_built_comes_back_as_it_was(docker_daemon: DockerClient, mirror: str, tmp_path: Path) -> None:
    ex, recipe, notes = executor(tmp_path, mirror), stub_recipe("stub"), []
    first = ex.build(recipe, tmp_path / "log", notes.append)
    try:
        docker_daemon.images.remove(first.digest, force=True)
        assert not ex.built(recipe)
        notes.clear()
        assert same(ex.build(recipe, tmp_path / "log", notes.append), first)
        assert not any(note.startswith("image step") for note in notes), "nothing was built"
    finally:
        docker_daemon.images.remove(first.digest, force=True)


def test_a_mirror_that_does_not_answer_costs_the_copy_and_no_run(docker_daemon: DockerClient, tmp_path: Path) -> None:
    ex, recipe, notes = executor(tmp_path, "127.0.0.1:9/none"), stub_recipe("stub"), []
    made = ex.build(recipe, tmp_path / "log", notes.append)
    try:
        assert any("is not copied to 127.0.0.1:9/none" in note for note in notes)
        assert docker_daemon.images.get(made.digest).tags == [made.ref]
    finally:
        docker_daemon.images.remove(made.digest, force=True)
