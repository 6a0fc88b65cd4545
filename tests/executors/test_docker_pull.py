"""Published images: pulled from a registry on loopback, pinned by digest, listed, served, refused."""

import io
import os
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from docker import DockerClient

from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError, MatrixError
from matrix.core.recipe import Overlay, Recipe
from matrix.executors.docker import DockerExecutor, DockerSettings, labels
from matrix.executors.docker.pull_failures import pull_failure
from matrix.executors.docker.user import User, container_user
from tests.executors.docker_kit import of_run, seen
from tests.executors.stub_image import BASE_IMAGE, stub_cell, stub_dockerfile, stub_plan
from tests.fakes.history import History
from tests.fakes.image_registry import image_registry, put_image

LISTED = ("abc-stub==1.5", "vllm==9.9.0+cu129")


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with image_registry(tmp_path_factory.mktemp("registry")) as host:
        yield host


@pytest.fixture(scope="module")
def published(docker_daemon: DockerClient, registry: str) -> Iterator[str]:
    """An image such as a project publishes: root, an entrypoint of its own, packages in the system's Python."""
    name = f"{registry}/vllm/vllm-openai:v9.9.0"
    publish(docker_daemon, name, stub_steps("9.9.0+cu129"))
    yield name
    for image in docker_daemon.images.list(name.rpartition(":")[0]):
        docker_daemon.images.remove(image.id, force=True)


def stub_steps(version: str) -> list[str]:
    """Shell lines that install an engine of this version, and another package, into the system's Python."""
    steps = ["S=$(python3 -c 'import site; print(site.getsitepackages()[0])')", "mkdir -p $S/vllm"]
    steps += ["touch $S/vllm/__init__.py $S/vllm/gone.py", "echo compiled > $S/vllm/_C.abi3.so"]
    for package, found in (("abc-stub", "1.5"), ("vllm", version)):
        info = f"$S/{package.replace('-', '_')}-{found}.dist-info"
        steps += [
            f"mkdir -p {info}",
            rf'printf "Metadata-Version: 2.1\nName: {package}\nVersion: {found}\n" > {info}/METADATA',
        ]
    return steps


def publish(client: DockerClient, name: str, steps: list[str]) -> None:
    """Push an image of these steps, and leave nothing of it here."""
    text = f'{stub_dockerfile()}RUN {" && ".join(steps)}\nENTRYPOINT ["false"]\nLABEL org.specmatrix.stage=\n'
    build = {"custom_context": True, "rm": True, "forcerm": True, "buildargs": {"BASE_IMAGE": BASE_IMAGE}}
    client.images.build(fileobj=_context(text), tag=name, **build)
    for line in client.images.push(name, stream=True, decode=True):
        assert "error" not in line, line
    client.images.remove(name, force=True)
    client.images.prune({"dangling": True, "label": f"{labels.STAGE}=build"})


def _context(dockerfile: str) -> io.BytesIO:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, body in (("Dockerfile", dockerfile.encode()), ("inputs/none", b"")):
            info = tarfile.TarInfo(name)
            info.size = len(body)
            tar.addfile(info, io.BytesIO(body))
    out.seek(0)
    return out


def executor(root: Path) -> DockerExecutor:
    settings = DockerSettings(base_image=BASE_IMAGE, grace_s=2, memory_gib=0.25, shm_gib=0.03125, pids_limit=64)
    return DockerExecutor(root / "cache", root / "state", settings)


@pytest.mark.docker
def test_pulled_once_named_by_digest_listed_and_served(
    docker_daemon: DockerClient, published: str, model_folder: Path, run_id: str, tmp_path: Path
) -> None:
    made, notes = executor(tmp_path), []
    recipe = Recipe("vllm-image", ("vllm==9.9.0",), image=published)
    assert not made.built(recipe)
    first = made.build(recipe, tmp_path / "log", notes.append)
    assert made.built(recipe)
    assert first.ref == f"{published.rpartition(':')[0]}@{first.digest}"
    assert first.digest.startswith("sha256:")
    assert first.digest in docker_daemon.images.get(published).attrs["RepoDigests"][0]
    assert set(LISTED) <= set(first.lock)
    assert notes[0] == f"pulling {published}"
    assert "Pull complete" in (tmp_path / "log").read_text() or "Already exists" in (tmp_path / "log").read_text()
    again = made.build(recipe, tmp_path / "log", notes.append)
    assert (again.reused, again.lock, again.digest) == (True, first.lock, first.digest)

    with made.serve(first, stub_cell(model_folder), stub_plan("serve"), run_id, tmp_path / "server.log") as server:
        inside = seen(server)
        (container,) = of_run(docker_daemon, run_id)
        assert container.attrs["Config"]["Image"] == first.ref
    assert inside["user"][0] == 0
    assert set(inside["caps"].values()) == {"0000000000000000"}
    assert inside["no_new_privs"] == "1"
    assert inside["env"]["HOME"] == "/home/engine"
    assert inside["write"]["/opt/made"] == "refused: Read-only file system"
    assert inside["write"]["~/made"] == "written"
    assert inside["models"] == {"target": ["config.json"]}


@pytest.mark.docker
def test_image_that_holds_another_version_is_a_failed_build(published: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"vllm==9.9.1 was asked for and vllm 9.9.0\+cu129 was installed"):
        executor(tmp_path).build(Recipe("vllm-image", ("vllm==9.9.1",), image=published), tmp_path / "log", print)


@pytest.mark.docker
def test_a_commit_lies_over_a_published_image_and_runs_as_its_root(
    docker_daemon: DockerClient, published: str, model_folder: Path, run_id: str, tmp_path: Path
) -> None:
    history = History(tmp_path / "clone")
    commit = history.commit({"vllm/__init__.py": "NAME = 'commit'\n"})
    recipe = Recipe("vllm-commit", ("vllm==9.9.0",), image=published)
    recipe = replace(recipe, overlay=Overlay(str(history.folder), commit, "vllm", "vllm"))
    ex = executor(tmp_path)
    made = ex.build(recipe, tmp_path / "log", print)
    try:
        tree = history.git("rev-parse", f"{commit}:vllm").strip()
        assert f"overlay vllm tree {tree}" in made.lock
        assert set(LISTED) <= set(made.lock)
        assert ex.build(recipe, tmp_path / "log", print).reused
        unrelated = history.commit({"vllm/__init__.py": "NAME = 'commit'\n", "README.md": "more"})
        same = replace(recipe, overlay=Overlay(str(history.folder), unrelated, "vllm", "vllm"))
        again = ex.build(same, tmp_path / "log", print)
        assert (again.digest, again.lock, again.reused) == (made.digest, made.lock, True)
        assert labels.OWNER not in docker_daemon.images.get(made.digest).labels
        script = "import vllm, os; print(vllm.NAME, *sorted(os.listdir(vllm.__path__[0])))"
        said = docker_daemon.containers.run(made.digest, ["-c", script], entrypoint="python3", remove=True)
        assert said.split() == [b"commit", b"_C.abi3.so", b"__init__.py", b"__pycache__"]
        with ex.serve(made, stub_cell(model_folder), stub_plan("serve"), run_id, tmp_path / "server.log") as server:
            assert seen(server)["user"][0] == 0
    finally:
        docker_daemon.images.remove(made.digest, force=True)


@pytest.mark.docker
def test_image_of_another_architecture(docker_daemon: DockerClient, registry: str, tmp_path: Path) -> None:
    name = f"{registry}/lmsysorg/sglang:v1-arm64"
    put_image(registry, "lmsysorg/sglang", "v1-arm64", "arm64")
    host = {"x86_64": "amd64", "aarch64": "arm64"}[docker_daemon.info()["Architecture"]]
    if host == "arm64":
        put_image(registry, "lmsysorg/sglang", "v1-arm64", "amd64")
    with pytest.raises(EnvironmentMismatchError, match=r"sglang:v1-arm64 is an image for .* and this host is"):
        executor(tmp_path).build(Recipe("sglang-image", (), image=name), tmp_path / "log", print)
    docker_daemon.images.remove(name, force=True)


@pytest.mark.docker
def test_image_that_is_not_published(registry: str, tmp_path: Path) -> None:
    put_image(registry, "lmsysorg/sglang", "v1")
    name = f"{registry}/lmsysorg/sglang:v2"
    with pytest.raises(BuildError, match="v2 is not published") as caught:
        executor(tmp_path).build(Recipe("sglang-image", (), image=name), tmp_path / "log", print)
    assert "which tags" in caught.value.hint


@pytest.mark.docker
def test_registry_that_does_not_answer_is_infra(docker_daemon: DockerClient, tmp_path: Path) -> None:
    with pytest.raises(InfraError, match=r"registry of 127\.0\.0\.1:9/none:1 cannot be reached"):
        executor(tmp_path).build(Recipe("image", (), image="127.0.0.1:9/none:1"), tmp_path / "log", print)


@pytest.mark.docker
def test_image_without_a_python_is_no_engine(docker_daemon: DockerClient, registry: str, tmp_path: Path) -> None:
    put_image(registry, "empty/one", "1")
    with pytest.raises(BuildError, match=r"python3 in .*empty/one:1 does not list its packages"):
        executor(tmp_path).build(Recipe("image", (), image=f"{registry}/empty/one:1"), tmp_path / "log", print)
    assert not docker_daemon.containers.list(all=True, filters={"ancestor": f"{registry}/empty/one:1"})
    docker_daemon.images.remove(f"{registry}/empty/one:1", force=True)


@pytest.mark.parametrize(
    ("said", "kind", "cause"),
    [
        ("toomanyrequests: You have reached your pull rate limit.", InfraError, "pull limit is reached for a/b:1"),
        (
            "no matching manifest for linux/arm64/v8 in the manifest list entries",
            EnvironmentMismatchError,
            "architecture",
        ),
        (
            "pull access denied for a/b, repository does not exist or may require 'docker login': denied: requested "
            "access to the resource is denied",
            InfraError,
            "no such repository, or it may not be read without a login",
        ),
        ("Head https://r/v2/a/b/manifests/1: unauthorized: authentication required", InfraError, "wants a login"),
        ("Get https://r/v2/: no basic auth credentials", InfraError, "wants a login"),
        ("manifest for a/b:1 not found: manifest unknown: manifest unknown", BuildError, "a/b:1 is not published"),
        ("Get https://r/v2/: dial tcp: lookup r: no such host", InfraError, "cannot be reached"),
        ("received unexpected HTTP status: 503 Service Unavailable", InfraError, "cannot be reached"),
        ("net/http: TLS handshake timeout", InfraError, "cannot be reached"),
        ("write /var/lib/docker/tmp/x: no space left on device", InfraError, "the disk filled up while pulling a/b:1"),
        ("something new", InfraError, "the Docker daemon refused pulling a/b:1"),
    ],
)
def test_why_a_pull_failed(said: str, kind: type[MatrixError], cause: str) -> None:
    error = pull_failure("a/b:1", said)
    assert type(error) is kind
    assert cause in error.cause
    assert error.hint


def test_files_that_roots_group_may_not_read_are_named_before_a_server_starts(tmp_path: Path) -> None:
    """Root without capabilities reads as anyone does."""
    guest = User(0, 0, (4242,), guest=True)
    secret = tmp_path / "model.safetensors"
    secret.write_text("")
    tmp_path.chmod(0o755)
    secret.chmod(0o644)
    guest.check_readable([str(tmp_path)])
    secret.chmod(0o600)
    if os.getuid() == 0:
        os.chown(secret, 4243, -1)
    with pytest.raises(EnvironmentMismatchError, match=r"model.safetensors cannot be read") as caught:
        guest.check_readable([str(tmp_path)])
    assert "chmod" in caught.value.hint
    replace(guest, guest=False).check_readable([str(tmp_path)])


def test_who_a_server_runs_as(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(os, "getgid", lambda: 100)
    ours, theirs = (container_user(published=p, mapped=False) for p in (False, True))
    assert (ours.uid, ours.gid, ours.groups, ours.guest) == (1000, 100, (), False)
    assert (theirs.uid, theirs.gid, theirs.groups, theirs.guest) == (0, 0, (100,), True)
    mapped = container_user(published=True, mapped=True)
    assert (mapped.uid, mapped.gid, mapped.guest) == (0, 0, False)
