"""Served containers on a real daemon: their walls, their logs and their ends."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker.errors
import pytest
import requests
from docker import DockerClient
from docker.models.containers import Container

from matrix.core.errors import EnvironmentMismatchError, InfraError
from matrix.core.ports import ServerExit
from matrix.core.recipe import Artifact
from matrix.executors.docker import DockerExecutor, labels
from matrix.executors.docker.server import DockerServer
from tests.executors.stub_image import stub_cell, stub_plan

pytestmark = pytest.mark.docker

Serve = Callable[..., DockerServer]


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


def of_run(client: DockerClient, run_id: str) -> list[Container]:
    return client.containers.list(all=True, filters={"label": f"{labels.RUN}={run_id}"})


def ended(server: DockerServer, seconds: float = 60) -> ServerExit:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        gone = server.poll()
        if gone is not None:
            return gone
        time.sleep(0.1)
    raise AssertionError("the server did not end")


def seen(server: DockerServer, seconds: float = 60) -> dict[str, Any]:
    """What the stub sees from inside."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            body: dict[str, Any] = json.loads(requests.get(server.url, timeout=5).text)
        except requests.RequestException:
            assert server.poll() is None, "the stub ended"
            assert time.monotonic() < deadline, "the stub does not answer"
            time.sleep(0.1)
        else:
            return body


def until_logged(log: Path, text: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while text not in (log.read_text() if log.exists() else ""):
        assert time.monotonic() < deadline, f"{text!r} was not logged"
        time.sleep(0.1)


def test_walls_hold_from_inside(serve: Serve, docker_daemon: DockerClient) -> None:
    inside = seen(serve("serve"))
    assert inside["write"] == {
        "/made": "refused: Read-only file system",
        "/opt/made": "refused: Read-only file system",
        "/models/target/made": "refused: Read-only file system",
        "/tmp/made": "written",
        "~/made": "written",
    }
    assert inside["exec"] == {"/tmp": "ran", "~": "ran"}
    assert set(inside["caps"].values()) == {"0000000000000000"}
    assert inside["no_new_privs"] == "1"
    assert inside["seccomp"] == "2"
    assert inside["user"] == [os.getuid(), os.getgid()]
    assert inside["shm"] == 2**25
    assert inside["models"] == {"target": ["config.json"]}


def test_limits_are_the_daemons(serve: Serve, docker_daemon: DockerClient, run_id: str) -> None:
    serve("serve")
    (container,) = of_run(docker_daemon, run_id)
    limits = container.attrs["HostConfig"]
    assert (limits["Memory"], limits["MemorySwap"], limits["PidsLimit"]) == (2**28, 2**28, 64)
    assert limits["Init"] is True
    assert limits["Privileged"] is False


def test_environment_is_the_plans_on_top_of_the_images(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_HOST", "leaked")
    env = seen(serve("serve"))["env"]
    assert (env["FROM_PLAN"], env["FROM_IMAGE"]) == ("yes", "1")
    assert "FROM_HOST" not in env
    assert "UNWANTED" not in env


def test_port_is_open_on_loopback_only(serve: Serve) -> None:
    server = serve("serve")
    seen(server)
    host, _, port = server.url.removeprefix("http://").partition(":")
    assert host == "127.0.0.1"
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    probe.connect(("192.0.2.1", 9))  # sends nothing; only asks the kernel for this host's own address
    outside = probe.getsockname()[0]
    probe.close()
    with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
        socket.create_connection((outside, int(port)), timeout=3)


def test_target_and_draft_are_mounted_where_the_plan_says(serve: Serve, tmp_path: Path) -> None:
    draft = tmp_path / "draft"
    draft.mkdir()
    (draft / "head.bin").write_text("")
    assert seen(serve("serve", draft=draft))["models"] == {"target": ["config.json"], "draft": ["head.bin"]}


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
    assert log.read_text().splitlines()[-2:] == ["stub: exit", "stub: this goes to standard error"] or (
        set(log.read_text().splitlines()) == {"stub: exit", "stub: this goes to standard error"}
    )


def test_server_killed_for_memory(serve: Serve) -> None:
    gone = ended(serve("eat"))
    assert (gone.code, gone.oom) == (137, True)


def test_server_that_ends_after_its_child_was_killed_for_memory(serve: Serve, log: Path) -> None:
    server = serve("child-eats")
    gone = ended(server)
    server.stop()
    assert "stub: child ended -9" in log.read_text()
    assert gone.code == 3
    # cgroup v1 counts the child; v2 may name only the container's own first process.
    assert gone.oom is ("was killed at" in gone.detail)


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
