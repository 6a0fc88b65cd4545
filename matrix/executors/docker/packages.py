"""What is installed in an image: the lock of our own, or the list that its Python gives."""

import io
import json
import tarfile
from pathlib import Path

from docker import DockerClient
from docker.errors import APIError

from matrix.core.errors import BuildError
from matrix.executors.docker import labels, leftovers, paths
from matrix.executors.docker.client import speaking

# Of the metadata itself: images without pip answer too, and nothing of the engine is imported.
_ASK = """
import importlib.metadata, json
found = {}
for dist in importlib.metadata.distributions():
    name = dist.metadata["Name"]
    if name:
        found.setdefault(name.lower().replace("_", "-"), dist.version)
print(json.dumps(sorted(f"{name}=={version}" for name, version in found.items())))
"""
_ASK_S = 300


def read_lock(client: DockerClient, image_id: str) -> tuple[str, ...]:
    """The package lock written into an image of ours when it was built; the container for it is never started."""
    with speaking("reading an image's package lock"):
        holder = client.containers.create(image_id, ["true"], labels=labels.container_labels("", "lock"))
        try:
            chunks, _ = holder.get_archive(paths.LOCK)
            packed = b"".join(chunks)
        finally:
            holder.remove(force=True, v=True)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        member = tar.extractfile(tar.getmembers()[0])
        text = member.read().decode() if member else ""
    return tuple(sorted(line for line in text.splitlines() if line.strip()))


def list_packages(client: DockerClient, image_id: str, name: str, cache: Path) -> tuple[str, ...]:
    """Sorted `name==version` lines of what python3 inside the image has; asked once for each image and kept in `cache`.

    Raises BuildError when the image has no python3 that answers.
    """
    kept = cache / f"{image_id.removeprefix('sha256:')}.json"
    if kept.exists():
        return tuple(json.loads(kept.read_text()))
    lock: list[str] = json.loads(_asked(client, image_id, name))
    cache.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.write_text(json.dumps(lock, indent=1))
    part.replace(kept)
    return tuple(lock)


def _asked(client: DockerClient, image_id: str, name: str) -> str:
    with speaking("listing an image's packages"):
        asker = client.containers.create(
            image_id,
            ["-c", _ASK],
            entrypoint=["python3"],
            labels=labels.container_labels("", "lock"),
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
        )
        try:
            try:
                asker.start()
            except APIError as exc:
                raise _mute(name, exc.explanation or str(exc)) from exc
            code = asker.wait(timeout=_ASK_S)["StatusCode"]
            said = asker.logs(stdout=True, stderr=False).decode()
            if code != 0:
                raise _mute(name, asker.logs(tail=3).decode())
        finally:
            leftovers.remove(asker)
    return said


def _mute(name: str, said: str) -> BuildError:
    cause = f"python3 in {name} does not list its packages: {' '.join(said.split())[-300:]}"
    return BuildError(cause, hint="is it an image of the engine?")
