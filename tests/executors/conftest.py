"""A real Docker daemon and a tiny stub image, for the tests that need them."""

import os
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from matrix.core.recipe import Artifact
from matrix.executors.docker import DockerExecutor, DockerSettings, daemon_answers
from matrix.executors.docker.server import DockerServer
from tests.executors.docker_kit import Serve
from tests.executors.stub_image import BASE_IMAGE, stub_cell, stub_dockerfile, stub_plan, stub_recipe
from tests.require import require


@pytest.fixture(scope="session")
def docker_daemon() -> Iterator[DockerClient]:
    """A client of a daemon that has the test's base image."""
    require("docker", daemon_answers(), "no Docker daemon answers")
    client = docker.from_env()
    try:
        client.images.get(BASE_IMAGE)
        there = True
    except ImageNotFound:
        there = False
    require("docker", there, f"the base image {BASE_IMAGE} is missing (.ci/docker.sh makes it)")
    yield client
    client.close()


@pytest.fixture(scope="session")
def docker_executor(docker_daemon: DockerClient, tmp_path_factory: pytest.TempPathFactory) -> DockerExecutor:
    """An executor whose every recipe is the stub server."""
    root = tmp_path_factory.mktemp("docker")
    settings = DockerSettings(base_image=BASE_IMAGE, grace_s=2, memory_gib=0.25, shm_gib=0.03125, pids_limit=64)
    return DockerExecutor(root / "cache", root / "state", settings, dockerfile=lambda name: stub_dockerfile())


@pytest.fixture(scope="session")
def stub_artifact(
    docker_executor: DockerExecutor, docker_daemon: DockerClient, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Artifact]:
    """The stub server's image; removed at the end, since no two test runs share one."""
    made = docker_executor.build(stub_recipe("stub"), tmp_path_factory.mktemp("log") / "build.log", lambda _: None)
    yield made
    docker_daemon.images.remove(made.ref, force=True)


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    os.chmod(folder, 0o755)  # noqa: PTH101
    return folder


@pytest.fixture
def run_id(request: pytest.FixtureRequest) -> str:
    return f"{request.node.name}-{os.getpid()}"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "server.log"


@pytest.fixture
def serve(
    docker_executor: DockerExecutor, stub_artifact: Artifact, model_folder: Path, run_id: str, log: Path
) -> Iterator[Serve]:
    """Starts the stub with these arguments; whatever a failed test leaves is stopped."""
    started: list[DockerServer] = []

    def start(*args: str, draft: Path | None = None) -> DockerServer:
        cell = stub_cell(model_folder, draft)
        started.append(docker_executor.serve(stub_artifact, cell, stub_plan(*args), run_id, log))
        return started[-1]

    yield start
    for server in started:
        server.stop()
