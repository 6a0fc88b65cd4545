"""Images of recipes: their names, and finding one that is there."""

import re
from collections.abc import Mapping
from contextlib import suppress

from docker import DockerClient
from docker.errors import APIError
from docker.models.images import Image

from matrix.core.cell import digest
from matrix.core.errors import InfraError
from matrix.core.recipe import Recipe
from matrix.executors.docker import labels
from matrix.executors.docker.client import AWAY, speaking


def tag_of(recipe: Recipe) -> str:
    """`specmatrix/<recipe name>:<first 12 hex digits of the recipe's hash>`, in characters that Docker allows."""
    name = re.sub(r"[^a-z0-9]+", "-", recipe.name.lower()).strip("-")
    return f"specmatrix/{name or 'engine'}:{recipe.hash[:12]}"


def inputs_of(*texts: str) -> str:
    """Names what else decides an image: a changed Dockerfile or base means another image for the same recipe."""
    return digest(texts)[:16]


def find_image(client: DockerClient, recipe: Recipe, inputs: str) -> Image | None:
    """The tagged image of this recipe, or None; half-made images have no tag."""
    return find_labelled(client, {labels.RECIPE: recipe.hash, labels.INPUTS: inputs})


def find_labelled(client: DockerClient, wanted: Mapping[str, str]) -> Image | None:
    """A tagged image with all these labels, or None."""
    marks = [f"{name}={value}" for name, value in wanted.items()]
    with speaking("looking for an image"):
        found = client.images.list(filters={"label": marks, "dangling": False})
    return found[0] if found else None


def drop_superseded(client: DockerClient, recipe: Recipe) -> None:
    """Remove images of this recipe that lost their tag to a newer one, unless a container uses them; quiet, since the
    new image is there whatever becomes of the old.
    """
    with suppress(APIError, *AWAY):
        client.images.prune(filters={"dangling": True, "label": f"{labels.RECIPE}={recipe.hash}"})


def drop(client: DockerClient, image: Image) -> None:
    """Remove an image that must not be used; quiet, for use while an error flies."""
    with suppress(APIError, *AWAY):
        client.images.remove(image_id(image), force=True)


def image_id(image: Image) -> str:
    """`sha256:...`, the hash of the image's configuration and layers."""
    if not image.id:
        raise InfraError("the Docker daemon named an image without an id")
    return image.id
