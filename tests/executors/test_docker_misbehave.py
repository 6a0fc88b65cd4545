"""Engines that log, fork or reach out without end, in containers of a real daemon."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from docker import DockerClient

from matrix.core.ports import ServerExit
from matrix.core.recipe import Artifact
from matrix.executors.docker import DockerExecutor
from matrix.executors.docker.relay import _PREFIX
from matrix.executors.docker.server import DockerServer
from tests.executors.disk import most_used
from tests.executors.docker_kit import ended, of_run, seen, until_logged
from tests.executors.stub_image import stub_cell, stub_plan

pytestmark = pytest.mark.docker

CAP = 8 * 2**20


@pytest.fixture
def start(
    docker_executor: DockerExecutor,
    stub_artifact: Artifact,
    model_folder: Path,
    run_id: str,
    log: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[object]:
    """Starts the stub with other settings than the session's."""
    started: list[DockerServer] = []

    def begin(*args: str, **changed: object) -> DockerServer:
        monkeypatch.setattr(docker_executor, "_settings", replace(docker_executor._settings, **changed))
        started.append(docker_executor.serve(stub_artifact, stub_cell(model_folder), stub_plan(*args), run_id, log))
        return started[-1]

    yield begin
    for server in started:
        server.stop()


def test_a_log_of_300_mb_stays_below_its_cap_and_keeps_both_ends(start, log: Path) -> None:  # type: ignore[no-untyped-def]
    log.parent.mkdir()
    with most_used(log.parent) as most:
        gone = ended(start("flood", "300", log_cap=CAP), seconds=240)
    assert gone == ServerExit(3)
    assert most[0] <= 2 * CAP
    text = log.read_text()
    assert "stub: flood\n" in text[:100]
    assert text.endswith("stub: the cause\n")
    assert "bytes are cut out here]" in text
    assert len(text) <= CAP


def test_forks_end_at_the_limit_and_the_server_goes_on(
    start, log: Path, docker_daemon: DockerClient, run_id: str
) -> None:  # type: ignore[no-untyped-def]
    server = start("forks")
    until_logged(log, "stub: refused after")
    said = next(line for line in log.read_text().splitlines() if "refused after" in line)
    assert 32 < int(said.split()[3]) < 64
    assert server.poll() is None
    server.stop()
    assert of_run(docker_daemon, run_id) == []


@pytest.fixture
def listener() -> Iterator[int]:
    """A port of this host that anybody may connect to."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        yield server.getsockname()[1]


def gateway(client: DockerClient) -> str:
    return str(client.networks.get("bridge").attrs["IPAM"]["Config"][0]["Gateway"])


def said(server: DockerServer, host: str, port: int) -> str:
    return str(requests.get(f"{server.url}/reach/{host}/{port}", timeout=30).json()["said"])


def test_without_a_network_the_probe_gets_in_and_nothing_gets_out(  # type: ignore[no-untyped-def]
    start, listener: int, docker_daemon: DockerClient, run_id: str
) -> None:
    server = start("serve", network="none")
    (container,) = of_run(docker_daemon, run_id)
    folder = Path(next(m["Source"] for m in container.attrs["Mounts"] if _PREFIX in m["Source"]))
    assert set(seen(server)["raised"].values()) == {"refused"}
    assert said(server, "127.0.0.1", 8000) == "reached"
    for host, port in ((gateway(docker_daemon), listener), ("127.0.0.1", listener), ("192.0.2.1", 80)):
        assert said(server, host, port) == "unreachable"
    assert folder.is_dir()
    assert server.stop() == ServerExit(143)
    assert not folder.exists()


def test_with_the_usual_network_that_listener_is_reached(  # type: ignore[no-untyped-def]
    start, listener: int, docker_daemon: DockerClient
) -> None:
    server = start("serve")
    seen(server)
    assert said(server, gateway(docker_daemon), listener) == "reached"


def test_many_at_once_get_their_own_answers_without_a_network(start) -> None:  # type: ignore[no-untyped-def]
    server = start("serve", network="none")
    seen(server)
    answers: list[str] = []
    asking = [threading.Thread(target=lambda: answers.append(said(server, "127.0.0.1", 8000))) for _ in range(32)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert answers == ["reached"] * 32


def test_a_crash_without_a_network_keeps_its_exit_code(start, log: Path) -> None:  # type: ignore[no-untyped-def]
    assert ended(start("exit", "42", network="none")) == ServerExit(42)
    assert "stub: exit" in log.read_text()
