"""What is left by killed processes, on a real daemon."""

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.recipe import Artifact
from matrix.executors import owner
from matrix.executors.docker import DockerExecutor, labels
from tests.executors.stub_image import BASE_IMAGE

pytestmark = pytest.mark.docker

ROOT = Path(__file__).resolve().parents[2]

SERVER = """
import sys, time
from pathlib import Path
from matrix.core.recipe import Artifact
from matrix.executors.docker import DockerExecutor, DockerSettings
from tests.executors.stub_image import stub_cell, stub_plan
root, digest, run_id = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
executor = DockerExecutor(root, root, DockerSettings(memory_gib=0.25))
artifact = Artifact("image", digest, digest, (), 0.0, True)
server = executor.serve(artifact, stub_cell(root), stub_plan("serve"), run_id, root / "server.log")
print("up", flush=True)
{then}
"""

BUILDER = """
import sys
from pathlib import Path
from matrix.core.recipe import Recipe
from matrix.executors.docker import DockerExecutor, DockerSettings
from tests.executors.stub_image import BASE_IMAGE, stub_dockerfile
root, name = Path(sys.argv[1]), sys.argv[2]
text = stub_dockerfile("sleep 600")
executor = DockerExecutor(root, root, DockerSettings(base_image=BASE_IMAGE), dockerfile=lambda _: text)
executor.build(Recipe(name, (name,)), root / "build.log", lambda note: print(note, flush=True))
"""


def other_process(script: str, *args: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", script, *args]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def wait_for(process: "subprocess.Popen[str]", word: str) -> None:
    assert process.stdout is not None
    assert any(word in line for line in iter(process.stdout.readline, "")), f"no {word!r} from the other process"


def kill(process: "subprocess.Popen[str]") -> str:
    """kill -9; the identity it had."""
    name = owner.of(process.pid)
    process.kill()
    process.wait()
    return name


def of_run(client: DockerClient, run_id: str) -> list[str]:
    found = client.containers.list(all=True, filters={"label": f"{labels.RUN}={run_id}"})
    return [container.status for container in found]


def test_container_of_a_killed_process_is_reaped_and_of_a_live_one_is_not(
    docker_executor: DockerExecutor, stub_artifact: Artifact, docker_daemon: DockerClient, tmp_path: Path
) -> None:
    doomed_run, live_run = uuid.uuid4().hex, uuid.uuid4().hex
    script = SERVER.format(then="time.sleep(600)")
    doomed = other_process(script, str(tmp_path), stub_artifact.digest, doomed_run)
    live = other_process(script, str(tmp_path), stub_artifact.digest, live_run)
    try:
        wait_for(doomed, "up")
        wait_for(live, "up")
        name = kill(doomed)
        assert of_run(docker_daemon, doomed_run) == ["running"]
        lines = [line for line in docker_executor.reap() if doomed_run in line]
        assert len(lines) == 1
        assert name in lines[0]
        assert of_run(docker_daemon, doomed_run) == []
        assert of_run(docker_daemon, live_run) == ["running"]
        assert not [line for line in docker_executor.reap() if doomed_run in line]
    finally:
        kill(live)
        docker_executor.reap()
    assert of_run(docker_daemon, live_run) == []


@pytest.mark.parametrize("then", ["sys.exit(0)", "raise RuntimeError('not caught')"])
def test_ending_interpreter_takes_its_container_along(
    stub_artifact: Artifact, docker_daemon: DockerClient, tmp_path: Path, then: str
) -> None:
    run_id = uuid.uuid4().hex
    process = other_process(SERVER.format(then=then), str(tmp_path), stub_artifact.digest, run_id)
    wait_for(process, "up")
    process.wait(60)
    assert of_run(docker_daemon, run_id) == []


def test_killed_builders_stage_is_removed(
    docker_executor: DockerExecutor, docker_daemon: DockerClient, tmp_path: Path
) -> None:
    process = other_process(BUILDER, str(tmp_path), "stub-killed")
    wait_for(process, "RUN")
    name = kill(process)
    mine = f"{labels.OWNER}={name}"
    deadline = time.monotonic() + 60
    while docker_daemon.images.list(filters={"label": mine}) or docker_daemon.containers.list(filters={"label": mine}):
        docker_executor.reap()
        assert time.monotonic() < deadline, "the stage is still there"
        time.sleep(0.5)
    assert docker_daemon.containers.list(all=True, filters={"label": mine}) == []


def test_container_started_by_hand_from_our_image_is_left_alone(
    docker_executor: DockerExecutor, stub_artifact: Artifact, docker_daemon: DockerClient
) -> None:
    by_hand = docker_daemon.containers.run(stub_artifact.digest, ["sleep", "60"], detach=True)
    try:
        docker_executor.reap()
        by_hand.reload()
        assert by_hand.status == "running"
    finally:
        by_hand.remove(force=True)


def test_container_of_another_host_is_left_alone(docker_executor: DockerExecutor, docker_daemon: DockerClient) -> None:
    marks = {labels.MANAGED: "1", labels.RUN: "x", labels.OWNER: f"elsewhere.example:{os.getpid()}:1"}
    theirs = docker_daemon.containers.create(BASE_IMAGE, ["true"], labels=marks)
    try:
        docker_executor.reap()
        theirs.reload()
    finally:
        theirs.remove(force=True)
