"""What the tags of published images stand for now, asked of their registries before anything is pulled."""

from collections.abc import Iterable
from dataclasses import dataclass

from matrix.core.errors import InfraError
from matrix.core.ports import Executor
from matrix.core.recipe import Recipe
from matrix.sources import registry


@dataclass(frozen=True, slots=True)
class Published:
    """An image with the digest (`sha256:...`) that its tag stands for; where it has none, `why` tells.

    `absent` is True when the registry says that there is no such tag, False where it is only unknown.
    """

    image: str
    digest: str | None
    why: str = ""
    absent: bool = False

    def __str__(self) -> str:
        return f"{self.image} is {self.digest}" if self.digest else f"{self.image}: {self.why}"


def look_up(recipes: Iterable[Recipe], executor: Executor) -> tuple[Published, ...]:
    """Each image that `executor` would pull, once. A registry that does not answer is asked no second time."""
    wanted = dict.fromkeys(r.image for r in recipes if r.image and not executor.built(r))
    silent: dict[str, str] = {}
    return tuple(_ask(image, silent) for image in wanted)


def _ask(image: str, silent: dict[str, str]) -> Published:
    host = registry.reference(image).host
    if host in silent:
        return Published(image, None, silent[host])
    try:
        digest = registry.digest(image)
    except InfraError as exc:
        silent[host] = f"not resolved: {exc}"
        return Published(image, None, silent[host])
    if digest is None:
        return Published(image, None, "its registry has no such tag; projects remove nightly ones", absent=True)
    return Published(image, digest)
