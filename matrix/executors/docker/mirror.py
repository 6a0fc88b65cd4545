"""Copies of images in a registry of one's own: pushed once when used, pulled when nobody else has them any more."""

from collections.abc import Callable, Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker import DockerClient
from docker.errors import APIError
from docker.models.images import Image

from matrix.core.errors import InfraError, MatrixError
from matrix.executors.docker.client import AWAY, speaking
from matrix.executors.docker.failures import away, refusal
from matrix.executors.docker.image import image_id
from matrix.executors.docker.pull import pull
from matrix.executors.docker.records import ImageRecord, copy_name, copy_tag

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Mirror:
    """`place` is the registry and the path in it, such as `localhost:5000/specmatrix`; empty is no mirror."""

    client: DockerClient
    place: str

    def push(self, record: ImageRecord, log: Path, note: Note) -> str:
        """Copy the image there, and return its copy as `repository@sha256:...`.

        Empty, with the reason in `note`, when that fails: a run needs no copy, and the next use tries again.
        """
        try:
            return self._pushed(record, log, note)
        except MatrixError as error:
            note(f"{record.name} is not copied to {self.place}: {error.cause}")
            return ""

    def _pushed(self, record: ImageRecord, log: Path, note: Note) -> str:
        repository, tag = copy_name(self.place, record.name), copy_tag(record.digest)
        note(f"copying {record.name} to {self.place}")
        with speaking("tagging an image"):
            self.client.images.get(record.image_id).tag(repository, tag)
        try:
            return f"{repository}@{_push(self.client, repository, tag, log)}"
        finally:
            with suppress(APIError, *AWAY):
                self.client.images.remove(f"{repository}:{tag}")


def restore(client: DockerClient, record: ImageRecord, log: Path, note: Note) -> Image:
    """Pull the copy by its digest and give it its name again. Raises as `pull` does.

    InfraError where the copy is another image than the one that was recorded.
    """
    note(f"{record.name} comes from its copy {record.mirror}")
    image = pull(client, record.mirror, log, note)
    if image_id(image) != record.image_id:
        cause = f"{record.mirror} is not the image that {record.name} was ({record.image_id})"
        raise InfraError(cause, hint="the copy or its record was changed; remove the record to start anew")
    named(client, image, record.name)
    return image


def named(client: DockerClient, image: Image, name: str) -> None:
    """Let the daemon know the image by this name."""
    repository, _, tag = name.rpartition(":")
    with speaking("tagging an image"):
        image.tag(repository, tag)


def _push(client: DockerClient, repository: str, tag: str, log: Path) -> str:
    """Returns the digest that the registry gave it."""
    doing, found = f"pushing to {repository}", ""
    try:
        events: Generator[dict[str, Any], None, None] = client.api.push(repository, tag=tag, stream=True, decode=True)
        with log.open("a") as out, closing(events):
            for event in events:
                if "error" in event:
                    raise refusal(str(event["error"]), doing)
                found = str((event.get("aux") or {}).get("Digest") or found)
                if not event.get("progressDetail"):
                    out.write(f"{event.get('id', '')} {event.get('status', '')}\n")
    except APIError as exc:
        raise refusal(exc.explanation or str(exc), doing) from exc
    except AWAY as exc:
        raise away(doing, exc) from exc
    if not found:
        raise InfraError(f"the Docker daemon named no digest while {doing}", hint="see the daemon's log")
    return found
