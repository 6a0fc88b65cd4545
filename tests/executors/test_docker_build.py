"""Image builds on a real daemon, with a stub engine."""

import multiprocessing
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError
from matrix.core.recipe import Artifact, Recipe
from matrix.executors import owner
from matrix.executors.docker import DockerExecutor, DockerSettings, labels
from tests.executors.stub_image import BASE_IMAGE, stub_dockerfile, stub_recipe

pytestmark = pytest.mark.docker


@pytest.fixture
def recipe(docker_daemon: DockerClient) -> Iterator[Recipe]:
    """A recipe of this test alone; its image is removed afterwards."""
    made = stub_recipe("Stub Build")
    yield made
    for image in docker_daemon.images.list(filters={"label": f"{labels.RECIPE}={made.hash}"}):
        docker_daemon.images.remove(image.id, force=True)


def executor(root: Path, *steps: str, base_image: str = BASE_IMAGE) -> DockerExecutor:
    settings = DockerSettings(base_image=base_image)
    return DockerExecutor(root / "cache", root / "state", settings, dockerfile=lambda name: stub_dockerfile(*steps))


def stages(client: DockerClient) -> int:
    """Untagged build stages of this process."""
    mine = [f"{labels.STAGE}=build", f"{labels.OWNER}={owner.me()}"]
    return len(client.images.list(filters={"label": mine, "dangling": True}))


def containers(client: DockerClient) -> list[str]:
    """Containers of this process, whatever their state."""
    return [c.id or "" for c in client.containers.list(all=True, filters={"label": f"{labels.OWNER}={owner.me()}"})]


def build(made: DockerExecutor, recipe: Recipe, log: Path, note: Callable[[str], None] = lambda _: None) -> Artifact:
    return made.build(recipe, log, note)


def test_image_is_built_once_and_named_by_content(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    notes: list[str] = []
    made = executor(tmp_path)
    assert not made.built(recipe)
    first = build(made, recipe, tmp_path / "logs" / "build.log", notes.append)
    assert made.built(recipe)
    again = build(made, recipe, tmp_path / "again.log")
    image = docker_daemon.images.get(first.ref)
    assert (first.kind, first.ref) == ("image", f"specmatrix/stub-build:{recipe.hash[:12]}")
    assert (first.digest, first.reused) == (image.id, False)
    assert first.lock == ("abc-stub==1", "zlib-stub==2")
    assert (again.digest, again.lock, again.reused) == (first.digest, first.lock, True)
    assert any("RUN" in note for note in notes)
    assert "Successfully built" in (tmp_path / "logs" / "build.log").read_text()
    assert not (tmp_path / "again.log").exists()


def test_labels_name_the_recipe_and_no_owner(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    made = build(executor(tmp_path), recipe, tmp_path / "log")
    found = docker_daemon.images.get(made.ref).labels
    assert (found[labels.MANAGED], found[labels.RECIPE]) == ("1", recipe.hash)
    assert labels.OWNER not in found
    assert labels.STAGE not in found


def test_changed_dockerfile_replaces_the_image(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    first = build(executor(tmp_path), recipe, tmp_path / "log")
    changed = executor(tmp_path, "touch /opt/engine/more")
    assert not changed.built(recipe)
    second = build(changed, recipe, tmp_path / "log")
    assert not second.reused
    assert second.digest != first.digest
    with pytest.raises(ImageNotFound):
        docker_daemon.images.get(first.digest)


def test_build_stage_with_its_inputs_is_removed(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    before = stages(docker_daemon)
    build(executor(tmp_path), recipe, tmp_path / "log")
    assert stages(docker_daemon) == before


def test_broken_build_tells_the_builders_words(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    before = stages(docker_daemon), containers(docker_daemon)
    broken = executor(tmp_path, "echo resolving things", "echo 'error: no stub of that version' >&2", "exit 7")
    with pytest.raises(BuildError, match="no stub of that version") as caught:
        build(broken, recipe, tmp_path / "log")
    assert "resolving things" in caught.value.excerpt
    assert str(tmp_path / "log") in caught.value.hint
    assert "no stub of that version" in (tmp_path / "log").read_text()
    assert not broken.built(recipe)
    assert (stages(docker_daemon), containers(docker_daemon)) == before


def test_full_disk_in_a_build_is_infra(recipe: Recipe, tmp_path: Path) -> None:
    full = executor(tmp_path, "echo 'cp: error writing x: No space left on device' >&2", "exit 1")
    with pytest.raises(InfraError, match="disk filled up"):
        build(full, recipe, tmp_path / "log")


def test_base_image_that_cannot_be_had(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    missing = executor(tmp_path, base_image="localhost:9/none:1")
    with pytest.raises(EnvironmentMismatchError, match="localhost:9/none:1 is neither on this host") as caught:
        build(missing, recipe, tmp_path / "log")
    assert "base_image" in caught.value.hint


def test_log_that_cannot_be_written_is_infra(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfraError, match="cannot write"):
        build(executor(tmp_path), recipe, tmp_path / "file" / "build.log")


def test_interrupted_build_leaves_nothing(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    before = stages(docker_daemon), containers(docker_daemon)

    def interrupt(note: str) -> None:
        if note.endswith("RUN"):
            raise KeyboardInterrupt

    slow = executor(tmp_path, "sleep 60")
    with pytest.raises(KeyboardInterrupt):
        build(slow, recipe, tmp_path / "log", interrupt)
    assert not slow.built(recipe)
    # The daemon gives a build up when its client is gone, a little later.
    deadline = time.monotonic() + 20
    while (stages(docker_daemon), containers(docker_daemon)) != before:
        assert time.monotonic() < deadline, "the interrupted build is still there"
        time.sleep(0.2)


def _build_in_another_process(root: Path, recipe: Recipe, results: "multiprocessing.Queue[tuple[str, bool]]") -> None:
    made = build(executor(root, "sleep 2"), recipe, root / f"{uuid.uuid4().hex}.log")
    results.put((made.digest, made.reused))


def test_two_processes_build_one_image_once(docker_daemon: DockerClient, recipe: Recipe, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[tuple[str, bool]] = spawn.Queue()
    arguments = (tmp_path, recipe, results)
    workers = [spawn.Process(target=_build_in_another_process, args=arguments) for _ in range(2)]
    for worker in workers:
        worker.start()
    (one, one_reused), (two, two_reused) = results.get(timeout=120), results.get(timeout=120)
    for worker in workers:
        worker.join(30)
    assert one == two
    assert sorted([one_reused, two_reused]) == [False, True]
