"""The daemon's words and states in ours; no daemon."""

from pathlib import Path

import pytest
import requests
import urllib3
from docker.errors import APIError

from matrix.core.errors import EnvironmentMismatchError, InfraError, MatrixError
from matrix.core.ports import ServerExit
from matrix.executors.docker import DockerExecutor, daemon_answers
from matrix.executors.docker.client import speaking
from matrix.executors.docker.failures import refusal
from matrix.executors.docker.paths import dockerfile_text
from matrix.executors.docker.server import exit_of
from matrix.executors.docker.usage import image_use


@pytest.mark.parametrize(
    ("said", "kind", "next_step"),
    [
        ('could not select device driver "" with capabilities: [[gpu]]', EnvironmentMismatchError, "container toolkit"),
        ("nvidia-container-cli: initialization error", EnvironmentMismatchError, "container toolkit"),
        ("invalid mount config: bind source path does not exist: /x", EnvironmentMismatchError, "same folders"),
        ("write /var/lib/docker/x: no space left on device", InfraError, "free space"),
        ("driver failed programming external connectivity", InfraError, "daemon's log"),
    ],
)
def test_refusals(said: str, kind: type[MatrixError], next_step: str) -> None:
    error = refusal(said, "starting a container")
    assert type(error) is kind
    assert said[:20] in error.cause
    assert next_step in error.hint


@pytest.mark.parametrize(
    "raised", [requests.ConnectionError("gone"), urllib3.exceptions.ProtocolError("cut"), ConnectionResetError("reset")]
)
def test_daemon_that_goes_away_is_infra(raised: Exception) -> None:
    with pytest.raises(InfraError, match="stopped answering while building"), speaking("building"):
        raise raised


def test_answer_of_the_daemon_is_not_taken_for_its_absence() -> None:
    response = requests.Response()
    response.status_code = 500
    with pytest.raises(EnvironmentMismatchError, match="no GPU runtime"), speaking("starting"):
        raise APIError("500", response=response, explanation="could not select device driver")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"ExitCode": 1, "OOMKilled": False}, ServerExit(1)),
        ({"ExitCode": 137, "OOMKilled": False}, ServerExit(137)),
        ({"ExitCode": 127, "OOMKilled": False, "Error": "no such file"}, ServerExit(127, detail="no such file")),
    ],
)
def test_exit_without_memory_trouble(state: dict[str, object], expected: ServerExit) -> None:
    assert exit_of(state) == expected


def test_exit_of_a_server_killed_for_memory() -> None:
    ended = exit_of({"ExitCode": 137, "OOMKilled": True})
    assert (ended.code, ended.oom) == (137, True)
    assert ended.detail.startswith("the server was killed")


def test_exit_after_a_child_was_killed_for_memory_says_so() -> None:
    ended = exit_of({"ExitCode": 0, "OOMKilled": True})
    assert (ended.code, ended.oom) == (0, True)
    assert "a process of the server" in ended.detail
    assert "exit code 0" in ended.detail


def test_no_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert not daemon_answers()
    with pytest.raises(EnvironmentMismatchError, match="no Docker daemon answers") as caught:
        DockerExecutor(tmp_path, tmp_path)
    assert 'executor = "venv"' in caught.value.hint


@pytest.mark.parametrize("host", ["nonsense://x", "tcp://x:1:2", "tcp://["])
def test_nonsense_docker_host(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    assert not daemon_answers()
    assert image_use() is None


def test_dockerfiles_are_found_by_name() -> None:
    assert "ARG BASE_IMAGE" in dockerfile_text("vllm-cpu.Dockerfile")
    for name in ("", "none.Dockerfile"):
        with pytest.raises(InfraError, match="no Dockerfile called"):
            dockerfile_text(name)
