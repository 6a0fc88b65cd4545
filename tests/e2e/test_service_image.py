"""The service's own image: built from the project, it serves the dashboard with a read-only root and no capabilities."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from docker import DockerClient
from docker.models.containers import Container

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
BASE = os.environ.get("MATRIX_TEST_BASE_IMAGE", "specmatrix-test/base:bookworm")
TAG = f"specmatrix-test/service:{os.getpid()}"
VOLUME = f"specmatrix-test-service-{os.getpid()}"


@pytest.fixture(scope="module")
def container(docker_daemon: DockerClient) -> Iterator[Container]:
    index = {k: v for k, v in os.environ.items() if k in ("PIP_INDEX_URL",)}
    docker_daemon.images.build(
        path=str(ROOT),
        dockerfile="dockerfiles/service.Dockerfile",
        tag=TAG,
        rm=True,
        buildargs={"BASE_IMAGE": BASE} | index,
    )
    started = docker_daemon.containers.run(
        TAG,
        detach=True,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        tmpfs={"/tmp": "", "/home/specmatrix": ""},
        volumes={VOLUME: {"bind": "/data"}},
        ports={"8000/tcp": ("127.0.0.1", None)},
        command=["matrix", "serve", "--host", "0.0.0.0", "--allow-host", "localhost"],
    )
    try:
        yield started
    finally:
        started.remove(force=True)
        docker_daemon.volumes.get(VOLUME).remove()
        docker_daemon.images.remove(TAG, force=True)
        docker_daemon.images.prune({"dangling": True, "label": "org.specmatrix.stage=service-build"})


def test_it_serves_pages_and_json(container: Container) -> None:
    container.reload()
    port = container.ports["8000/tcp"][0]["HostPort"]
    deadline = time.monotonic() + 60
    while True:
        try:
            page = requests.get(f"http://127.0.0.1:{port}/", timeout=5)
            break
        except requests.ConnectionError:
            container.reload()
            assert container.status == "running", container.logs().decode()
            assert time.monotonic() < deadline, container.logs().decode()
            time.sleep(0.2)
    assert page.status_code == 200
    assert "matrix sweep" in page.text
    assert requests.get(f"http://127.0.0.1:{port}/api/overview", timeout=5).json()["runs"] == 0
    assert "Traceback" not in container.logs().decode()
