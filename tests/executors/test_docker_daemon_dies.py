"""A daemon killed in the middle: what goes on, what is reported, and that no log line is lost or doubled."""

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.errors import InfraError
from matrix.core.recipe import Artifact, Recipe
from matrix.executors.docker import DockerExecutor, DockerSettings, labels
from tests.executors.second_daemon import SecondDaemon
from tests.executors.stub_image import BASE_IMAGE, stub_cell, stub_dockerfile, stub_plan, stub_recipe
from tests.require import require

pytestmark = [pytest.mark.docker, pytest.mark.long]


@pytest.fixture(scope="module")
def daemon(docker_daemon: DockerClient, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecondDaemon]:
    require("docker", SecondDaemon.possible(), "a second daemon needs root, dockerd and ip")
    # Its sockets lie below: the path of a Unix socket may have 107 characters only.
    second = SecondDaemon(tmp_path_factory.mktemp("d"))
    client = second.start()
    client.images.load(docker_daemon.images.get(BASE_IMAGE).save(named=True))
    client.close()
    yield second
    second.close()


@pytest.fixture
def executor(daemon: SecondDaemon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DockerExecutor:
    monkeypatch.setenv("DOCKER_HOST", daemon.host)
    settings = DockerSettings(base_image=BASE_IMAGE, memory_gib=0.25, grace_s=2, patience_s=4)
    return DockerExecutor(tmp_path, tmp_path, settings, dockerfile=lambda name: stub_dockerfile())


@pytest.fixture
def artifact(executor: DockerExecutor, tmp_path: Path) -> Artifact:
    return executor.build(Recipe("stub", ("same",)), tmp_path / "build.log", lambda _: None)


def lines(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if line.startswith("line ")]


def test_server_outlives_a_restart_and_its_log_is_whole(
    executor: DockerExecutor, artifact: Artifact, daemon: SecondDaemon, model_folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "server.log"
    with executor.serve(artifact, stub_cell(model_folder), stub_plan("talk", "1500"), uuid.uuid4().hex, log) as server:
        while len(lines(log)) < 100:
            time.sleep(0.1)
        daemon.kill()
        before = len(lines(log))
        daemon.start().close()
        assert server.poll() is None
        deadline = time.monotonic() + 60
        while len(lines(log)) < 1500:
            assert time.monotonic() < deadline, f"{len(lines(log))} lines"
            time.sleep(0.2)
    assert before < 1500, "the daemon was killed too late to prove anything"
    assert lines(log) == [f"line {n}" for n in range(1500)]


def test_daemon_that_stays_away_is_infra_and_its_container_is_reaped_later(
    executor: DockerExecutor, artifact: Artifact, daemon: SecondDaemon, model_folder: Path, tmp_path: Path
) -> None:
    run_id = uuid.uuid4().hex
    server = executor.serve(artifact, stub_cell(model_folder), stub_plan("serve"), run_id, tmp_path / "log")
    daemon.kill()
    with pytest.raises(InfraError, match="stopped answering"):
        server.poll()
    with pytest.raises(InfraError, match="stopped answering"):
        server.stop()
    client = daemon.start()
    assert server.stop() is not None
    assert client.containers.list(all=True, filters={"label": f"{labels.RUN}={run_id}"}) == []
    client.close()


def test_daemon_killed_during_a_build_is_infra(executor: DockerExecutor, daemon: SecondDaemon, tmp_path: Path) -> None:
    def kill(note: str) -> None:
        if note.endswith("RUN"):
            daemon.kill()

    recipe = stub_recipe("stub")
    with pytest.raises(InfraError, match="stopped answering while building"):
        executor.build(recipe, tmp_path / "log", kill)
    daemon.start().close()
    assert not executor.built(recipe)
    assert executor.build(recipe, tmp_path / "log", lambda _: None).reused is False
