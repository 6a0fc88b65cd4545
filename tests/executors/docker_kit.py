"""What the tests of served containers share."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests
from docker import DockerClient
from docker.models.containers import Container

from matrix.core.ports import ServerExit
from matrix.executors.docker import labels
from matrix.executors.docker.server import DockerServer

Serve = Callable[..., DockerServer]


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


def listed(server: DockerServer, seconds: float = 60) -> list[str]:
    """The models that an engine's server says it has, once it answers."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            answer = requests.get(f"{server.url}/v1/models", timeout=5)
            return [str(entry["id"]) for entry in answer.json()["data"]]
        except (requests.RequestException, ValueError):
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.1)
