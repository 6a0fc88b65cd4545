"""How much room the images that were made here take."""

from dataclasses import dataclass

import docker
from docker.errors import DockerException

from matrix.executors.docker.client import AWAY
from matrix.executors.docker.labels import MANAGED

_PATIENCE_S = 3


@dataclass(frozen=True, slots=True)
class ImageUse:
    """Images that bear our label; `bytes` is the sum of their sizes, in which shared layers count each time."""

    images: int
    bytes: int


def image_use() -> ImageUse | None:
    """None where no Docker daemon answers soon."""
    try:
        client = docker.from_env(timeout=_PATIENCE_S)
        try:
            found = client.images.list(filters={"label": f"{MANAGED}=1"})
            return ImageUse(len(found), sum(int(image.attrs.get("Size", 0)) for image in found))
        finally:
            client.close()
    except (DockerException, ValueError, *AWAY):
        return None
