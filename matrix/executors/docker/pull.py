"""Published images: pulled once, named by their digest from then on."""

import re
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from docker import DockerClient
from docker.errors import APIError, ImageNotFound
from docker.models.images import Image
from docker.utils import parse_repository_tag

from matrix.core.errors import EnvironmentMismatchError, InfraError
from matrix.executors.docker.client import AWAY, speaking
from matrix.executors.docker.failures import away
from matrix.executors.docker.pull_failures import pull_failure

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_EACH_PERCENT = 10
_GB = 1e9


def local_image(client: DockerClient, name: str) -> Image | None:
    """The image called `name` (`repository:tag`) that is on this host already, or None."""
    with speaking("looking for an image"):
        try:
            return client.images.get(name)
        except ImageNotFound:
            return None


def pull(client: DockerClient, name: str, log: Path, note: Callable[[str], None]) -> Image:
    """Pull `name` and return it; the layers' states go to `log`, every tenth of the download to `note`.

    Raises BuildError for an image that is not published, InfraError for what the network, the registry or the disk
    did, EnvironmentMismatchError for an image of another architecture.
    """
    repository, tag = parse_repository_tag(name)
    note(f"pulling {name}")
    progress = _Progress(name, note)
    try:
        events: Generator[dict[str, Any], None, None] = client.api.pull(
            repository, tag=tag or "latest", stream=True, decode=True
        )
        with log.open("a") as out, closing(events):
            for event in events:
                if "error" in event:
                    raise pull_failure(name, str(event["error"]))
                progress.take(event)
                if "progressDetail" not in event or not event["progressDetail"]:
                    out.write(f"{event.get('id', '')} {event.get('status', '')}\n")
    except APIError as exc:
        raise pull_failure(name, exc.explanation or str(exc)) from exc
    except AWAY as exc:
        raise away(f"pulling {name}", exc) from exc
    image = local_image(client, name)
    if image is None:
        raise InfraError(f"the image {name} was removed while it was pulled", hint="run again")
    return image


def check_platform(client: DockerClient, image: Image, name: str) -> None:
    """Raises EnvironmentMismatchError for an image of another architecture than the daemon's host."""
    with speaking("looking at the daemon"):
        machine = str(client.info().get("Architecture") or "")
    host, own = _MACHINES.get(machine, machine), str(image.attrs.get("Architecture") or "")
    if own and host and own != host:
        hint = "take a tag that is published for this architecture, or another host"
        raise EnvironmentMismatchError(f"{name} is an image for {own} and this host is {host}", hint=hint)


def pinned(image: Image, name: str) -> tuple[str, str]:
    """How to name exactly this image, and its digest: `repository@sha256:...`, `sha256:...`.

    An image that was never in a registry (`docker load`) has no such digest: then both are its id.
    """
    repository, _ = parse_repository_tag(name)
    own = [d for d in image.attrs.get("RepoDigests") or [] if _same(d.partition("@")[0], repository)]
    if own:
        return own[0], own[0].partition("@")[2]
    if not image.id:
        raise InfraError("the Docker daemon named an image without an id")
    return image.id, image.id


def _same(one: str, other: str) -> bool:
    """True for two spellings of one repository: Docker Hub's host and its `library/` may be left out."""
    plain = [re.sub(r"^(?:index\.)?docker\.io/", "", name).removeprefix("library/") for name in (one, other)]
    return plain[0] == plain[1]


class _Progress:
    """Adds the layers up; totals become known one by one, so the percentage may fall back and is then not repeated."""

    def __init__(self, name: str, note: Callable[[str], None]) -> None:
        self._name = name
        self._note = note
        self._layers: dict[str, tuple[int, int]] = {}
        self._told = 0

    def take(self, event: dict[str, Any]) -> None:
        detail = event.get("progressDetail") or {}
        if event.get("status") != "Downloading" or not detail.get("total"):
            return
        self._layers[str(event.get("id"))] = (int(detail.get("current", 0)), int(detail["total"]))
        done, total = (sum(column) for column in zip(*self._layers.values(), strict=True))
        percent = 100 * done // total // _EACH_PERCENT * _EACH_PERCENT
        if percent > self._told:
            self._told = percent
            self._note(f"pulling {self._name}: {percent} % of {total / _GB:.1f} GB")
