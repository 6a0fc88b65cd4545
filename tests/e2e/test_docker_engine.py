"""The same real cell in a real container and in an environment of this host: the same accept length, to the token."""

import json
import os
from pathlib import Path
from typing import Any

import docker
import pytest

from matrix.demo import CONFIG
from tests.e2e.engine import matrix

pytestmark = [pytest.mark.engine, pytest.mark.docker, pytest.mark.timeout(2400)]

BASE = os.environ.get("MATRIX_TEST_BASE_IMAGE", "specmatrix-test/base:bookworm")
SELECT = ("version=0.32.0", "spec=eagle3")


def write_config(folder: Path) -> None:
    """The demo's matrix over our base image, with the user's wheel folder and CA bundle as build inputs."""
    models = CONFIG.parent / "models"
    text = CONFIG.read_text().replace('path = "models/', f'path = "{models}/') + "repeats = 0\n"
    lines = [f'base_image = "{BASE}"']
    wheels = os.environ.get("PIP_FIND_LINKS", "")
    if Path(wheels).is_dir() and wheels:
        lines.append(f'wheel_dir = "{wheels}"')
    bundle = os.environ.get("PIP_CERT", "")
    if Path(bundle).is_file():
        lines.append(f'ca_bundle = "{bundle}"')
    (folder / "matrix.toml").write_text("\n".join([text, "[docker]", *lines, ""]))


def samples(folder: Path, run_id: str) -> list[tuple[str, int, int, str]]:
    from matrix.store import open_store

    store = open_store(f"sqlite:///{folder}/matrix.db")
    try:
        view = store.read.run(run_id)
    finally:
        store.close()
    return [(s.prompt_id, s.steps or 0, s.accepted or 0, s.text_hash) for s in view.samples]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, docker_daemon: docker.DockerClient) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("docker-engine")
    write_config(folder)
    for executor in ("docker", "venv"):
        done = matrix(folder, "sweep", "--executor", executor, *SELECT)
        print(done.stderr[-4000:])
        assert done.returncode == 0, done.stderr[-4000:]
    rows = [json.loads(line) for line in matrix(folder, "results", "--json").stdout.splitlines()]
    return folder, {f"{r['executor']}/{r['spec']}": r for r in rows}


def test_the_accept_length_is_the_same_to_the_token(both: tuple[Path, dict[str, Any]]) -> None:
    folder, rows = both
    inside, outside = rows["docker/eagle3"], rows["venv/eagle3"]
    assert inside["outcome"] == outside["outcome"] == "ok"
    assert inside["accept_length"] == outside["accept_length"]
    assert samples(folder, inside["run_id"]) == samples(folder, outside["run_id"])


def test_the_image_is_pinned_by_digest_and_lock(both: tuple[Path, dict[str, Any]]) -> None:
    _, rows = both
    assert rows["docker/eagle3"]["artifact"].startswith("sha256:")
    assert rows["docker/eagle3"]["artifact"] != rows["venv/eagle3"]["artifact"]


def test_no_container_is_left(both: tuple[Path, dict[str, Any]], docker_daemon: docker.DockerClient) -> None:
    assert docker_daemon.containers.list(all=True, filters={"label": "org.specmatrix.run"}) == []
