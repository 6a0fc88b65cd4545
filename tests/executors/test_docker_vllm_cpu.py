"""The real `vllm-cpu.Dockerfile` on a real daemon, with a package of our own in the engine's place."""

import base64
import http.server
import json
import os
import shutil
import subprocess
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.errors import BuildError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors import owner
from matrix.executors.docker import DockerExecutor, DockerSettings, labels
from tests.executors.stub_image import BASE_IMAGE
from tests.fakes.wheels import wheel

pytestmark = pytest.mark.docker

CREDENTIALS = "user:s3cret"


@dataclass
class PrivateIndex:
    url: str
    denied: int = 0


@pytest.fixture
def private_index(tmp_path: Path) -> Iterator[PrivateIndex]:
    """An index on loopback that holds one wheel and wants a password."""
    folder = tmp_path / "index"
    name = wheel(folder / "secret-engine", "secret-engine", "1.0", {"secret_engine.py": "ANSWER = 42\n"}).name
    (folder / "secret-engine" / "index.html").write_text(f'<a href="{name}">{name}</a>')
    wanted = "Basic " + base64.b64encode(CREDENTIALS.encode()).decode()
    made = PrivateIndex("")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") == wanted:
                super().do_GET()
                return
            made.denied += 1
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Quiet."""

    def handler(*args: object) -> Handler:
        return Handler(*args, directory=str(folder))  # type: ignore[arg-type]

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://{CREDENTIALS}@127.0.0.1:{server.server_address[1]}/"
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def certificates() -> Path | None:
    """The bundle that this machine's installers use, for indexes that only it vouches for."""
    bundle = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    return Path(bundle) if bundle else None


def test_secrets_of_the_build_are_in_no_layer_and_no_log(
    docker_daemon: DockerClient, private_index: PrivateIndex, certificates: Path | None, tmp_path: Path
) -> None:
    wheel(tmp_path / "wheels", "local-engine", "2.0", {"local_engine.py": "ANSWER = 43\n"})
    wheel(tmp_path / "wheels", "unwanted", "1.0", {"unwanted.py": ""})
    settings = DockerSettings(BASE_IMAGE, tmp_path / "wheels", certificates, build_network="host")
    index = IndexSettings(extra_index_urls=(private_index.url,))
    executor = DockerExecutor(tmp_path / "cache", tmp_path / "state", settings, index=lambda: index)
    requirements = ("secret-engine==1.0", "local-engine == 2.0", "unwanted")
    recipe = Recipe(f"real-{uuid.uuid4().hex[:8]}", requirements, ("unwanted",), "vllm-cpu.Dockerfile")
    made = executor.build(recipe, tmp_path / "build.log", lambda _: None)
    try:
        assert made.lock == ("local-engine==2.0", "secret-engine==1.0")
        script = "import secret_engine as a, local_engine as b; print(a.__cached__, a.ANSWER, b.ANSWER)"
        said = docker_daemon.containers.run(made.digest, ["python3", "-c", script], remove=True, read_only=True)
        assert said.split()[1:] == [b"42", b"43"]
        files = docker_daemon.containers.run(made.digest, ["sh", "-c", "ls -d /inputs /opt/*; id"], remove=True)
        assert b"/inputs" not in files
        assert b"/opt/engine" in files
        assert "s3cret" not in json.dumps(docker_daemon.images.get(made.digest).history())
        assert "s3cret" not in (tmp_path / "build.log").read_text()
        mine = [f"{labels.STAGE}=build", f"{labels.OWNER}={owner.me()}"]
        assert docker_daemon.images.list(filters={"label": mine, "dangling": True}) == []
    finally:
        docker_daemon.images.remove(made.ref, force=True)


def test_version_that_does_not_exist(docker_daemon: DockerClient, certificates: Path | None, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "local-engine", "2.0", {"local_engine.py": ""})
    settings = DockerSettings(BASE_IMAGE, tmp_path / "wheels", certificates)
    executor = DockerExecutor(tmp_path / "cache", tmp_path / "state", settings)
    notes: list[str] = []
    recipe = Recipe("real-missing", ("local-engine==9.9",), (), "vllm-cpu.Dockerfile", torch_cpu=True)
    with pytest.raises(BuildError, match=r"local-engine==9\.9"):
        executor.build(recipe, tmp_path / "build.log", notes.append)
    assert notes
    assert not [note for note in notes if "torch" in note]


def test_dockerfile_builds_by_hand(docker_daemon: DockerClient, certificates: Path | None, tmp_path: Path) -> None:
    """As the file's header says, with nothing of ours but the folder."""
    context = tmp_path / "dockerfiles"
    context.mkdir()
    shutil.copy(Path(__file__).parents[2] / "dockerfiles" / "vllm-cpu.Dockerfile", context)
    wheel(context / "inputs" / "wheels", "local-engine", "2.0", {"local_engine.py": ""})
    if certificates:
        shutil.copy(certificates, context / "inputs" / "ca.pem")
    tag = f"specmatrix-test/by-hand:{uuid.uuid4().hex[:8]}"
    args = [
        "--build-arg",
        f"BASE_IMAGE={BASE_IMAGE}",
        "--build-arg",
        "REQUIREMENTS=local-engine==2.0",
        "--build-arg",
        f"BUILD={tag}",
    ]
    command = ["docker", "build", "-f", str(context / "vllm-cpu.Dockerfile"), *args, "-t", tag, str(context)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    docker_daemon.images.remove(tag, force=True)
    docker_daemon.images.prune(filters={"dangling": True, "label": [f"{labels.STAGE}=build", f"{labels.BUILD}={tag}"]})
