"""The disk budget over real images: the longest unused goes, what a bisection holds or a container uses stays."""

import os
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from matrix.app import room
from matrix.core.recipe import Artifact
from matrix.executors import owner
from matrix.executors.docker import DockerExecutor, DockerSettings
from matrix.executors.uses import IMAGE
from matrix.store import open_store
from tests.executors.stub_image import BASE_IMAGE, stub_dockerfile, stub_recipe

pytestmark = pytest.mark.docker
FILL = "head -c 3000000 /dev/urandom > /opt/engine/fill"


def there(client: DockerClient, artifact: Artifact) -> bool:
    try:
        client.images.get(artifact.digest)
    except ImageNotFound:
        return False
    return True


def test_images_give_way_to_the_budget(
    docker_daemon: DockerClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATRIX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "state"))
    store, made, said = open_store(f"sqlite:///{tmp_path}/m.db"), [], list[str]()
    settings = DockerSettings(base_image=BASE_IMAGE)
    ex = DockerExecutor(tmp_path / "cache", tmp_path / "state", settings, dockerfile=lambda _: stub_dockerfile(FILL))
    try:
        for number in range(4):
            recipe = stub_recipe(f"stub{number}")
            made.append(ex.build(recipe, tmp_path / "log", print))
            (note,) = (tmp_path / "cache" / "used").glob(f"{IMAGE}-{made[-1].digest[7:]}.*.json")
            os.utime(note, (1000.0 + number, 1000.0 + number))
        asked = {"engine": "vllm", "level": "release", "question": "works", "request": {}, "config": "", "history": {}}
        number = store.bisections.begin(**asked, owner=owner.me())
        store.bisections.hold(number, "docker", made[0].digest, f"bisection {number}")
        using = docker_daemon.containers.create(made[1].digest, ["true"])

        before = room.look(store, None).now
        sizes = {t.ref: t.size for t in before.stays if t.kind == IMAGE}
        assert set(sizes) == {a.digest for a in made}, "images of others are not ours to count"
        assert all(size >= 3_000_000 for size in sizes.values())
        found = room.make_room(store, before.before - 1, said.append)
        assert [there(docker_daemon, a) for a in made] == [True, True, False, True]
        assert (found.now.over, [t.ref for t in found.removed]) == (0, [made[2].digest])

        found = room.make_room(store, 1, said.append)
        assert [there(docker_daemon, a) for a in made] == [True, True, False, False]
        assert found.now.over > 6_000_000
        assert f"held: bisection {number}" in said[-1]
        assert "in use now" in said[-1]
        using.remove()
        store.bisections.finish(number, "done", {})
        room.make_room(store, 1, said.append)
        assert not any(there(docker_daemon, a) for a in made)
        assert docker_daemon.images.get(BASE_IMAGE)
    finally:
        store.close()
        for artifact in made:
            for container in docker_daemon.containers.list(all=True, filters={"ancestor": artifact.digest}):
                container.remove(force=True)
            if there(docker_daemon, artifact):
                docker_daemon.images.remove(artifact.digest, force=True)
