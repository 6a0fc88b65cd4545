"""Logs and ends of served containers, on a real daemon."""

from dataclasses import replace
from pathlib import Path

import docker.errors
import pytest
from docker import DockerClient

from matrix.core.errors import EnvironmentMismatchError, InfraError
from matrix.core.ports import ServerExit
from matrix.core.recipe import Artifact
from matrix.executors.docker import DockerExecutor
from tests.executors.docker_kit import Serve, ended, of_run, seen, until_logged
from tests.executors.stub_image import stub_cell, stub_plan

pytestmark = pytest.mark.docker


def test_log_holds_both_streams_whole_and_is_appended(serve: Serve, log: Path) -> None:
    log.parent.mkdir()
    log.write_text("kept\n")
    server = serve("talk", "200")
    until_logged(log, "line 199")
    server.stop()
    lines = log.read_text().splitlines()
    assert lines[0] == "kept"
    assert {"stub: talk", "stub: this goes to standard error"} <= set(lines)
    assert [line for line in lines if line.startswith("line ")] == [f"line {n}" for n in range(200)]


def test_stop_ends_and_removes_and_may_be_repeated(serve: Serve, docker_daemon: DockerClient, run_id: str) -> None:
    server = serve("serve")
    seen(server)
    first = server.stop()
    assert first == ServerExit(143)
    assert server.stop() == first
    assert server.poll() == first
    assert of_run(docker_daemon, run_id) == []


def test_server_that_ignores_sigterm_is_killed(serve: Serve, docker_daemon: DockerClient, run_id: str) -> None:
    server = serve("stubborn")
    seen(server)
    assert server.stop() == ServerExit(137)
    assert of_run(docker_daemon, run_id) == []


def test_leaving_the_context_by_an_exception_removes(serve: Serve, docker_daemon: DockerClient, run_id: str) -> None:
    with pytest.raises(KeyboardInterrupt), serve("serve") as server:
        assert server.poll() is None
        raise KeyboardInterrupt
    assert of_run(docker_daemon, run_id) == []


def test_crash_keeps_its_exit_code_and_last_words(serve: Serve, log: Path) -> None:
    server = serve("exit", "42")
    assert ended(server) == ServerExit(42)
    assert server.stop() == ServerExit(42)
    assert sorted(log.read_text().splitlines()) == ["stub: exit", "stub: this goes to standard error"]


def test_server_killed_for_memory(serve: Serve) -> None:
    gone = ended(serve("eat"))
    assert (gone.code, gone.oom) == (137, True)


def test_server_that_ends_after_its_child_was_killed_for_memory(serve: Serve, log: Path) -> None:
    server = serve("child-eats")
    gone = ended(server)
    server.stop()
    assert "stub: child ended -9" in log.read_text()
    assert (gone.code, gone.oom) == (3, True)
    assert "a process of the server, which then ended with exit code 3" in gone.detail


def test_container_removed_by_someone_else(serve: Serve, docker_daemon: DockerClient, run_id: str) -> None:
    server = serve("serve")
    of_run(docker_daemon, run_id)[0].remove(force=True)
    gone = ended(server)
    assert gone.code is None
    assert "someone else" in gone.detail
    assert server.stop() == gone


def test_gpus_on_a_host_without_the_runtime(
    docker_executor: DockerExecutor,
    stub_artifact: Artifact,
    docker_daemon: DockerClient,
    model_folder: Path,
    run_id: str,
    log: Path,
) -> None:
    if "nvidia" in docker_daemon.info().get("Runtimes", {}):
        pytest.skip("this daemon has the GPU runtime")
    with pytest.raises(EnvironmentMismatchError, match="no GPU runtime") as caught:
        docker_executor.serve(stub_artifact, stub_cell(model_folder), stub_plan("serve", gpus=1), run_id, log)
    assert "NVIDIA container toolkit" in caught.value.hint
    assert of_run(docker_daemon, run_id) == []


def test_missing_model_folder(
    docker_executor: DockerExecutor, stub_artifact: Artifact, docker_daemon: DockerClient, run_id: str, log: Path
) -> None:
    with pytest.raises(EnvironmentMismatchError, match="model folder is not there"):
        docker_executor.serve(stub_artifact, stub_cell(Path("/none/such")), stub_plan("serve"), run_id, log)
    assert of_run(docker_daemon, run_id) == []


def test_missing_image_and_unwritable_log_leave_nothing(
    docker_executor: DockerExecutor,
    stub_artifact: Artifact,
    docker_daemon: DockerClient,
    model_folder: Path,
    run_id: str,
    log: Path,
) -> None:
    cell, plan = stub_cell(model_folder), stub_plan("serve")
    with pytest.raises(InfraError, match="looking at an image"):
        docker_executor.serve(replace(stub_artifact, digest="sha256:" + "0" * 64), cell, plan, run_id, log)
    log.parent.parent.joinpath("logs").write_text("a file where a folder should be")
    with pytest.raises(InfraError, match="cannot write"):
        docker_executor.serve(stub_artifact, cell, plan, run_id, log)
    assert of_run(docker_daemon, run_id) == []
    with pytest.raises(docker.errors.NotFound):
        docker_daemon.containers.get(run_id)
