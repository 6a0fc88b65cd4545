"""The docker executor: images built from our Dockerfiles, servers as hardened containers."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from docker import DockerClient

from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Artifact, LaunchPlan, Placement, Recipe
from matrix.executors.docker import image, labels, leftovers, paths
from matrix.executors.docker.build import ImageBuild
from matrix.executors.docker.client import connect, speaking
from matrix.executors.docker.mounts import model_mounts
from matrix.executors.docker.request import command_line, container_request
from matrix.executors.docker.server import DockerServer, start
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.locks import held


class DockerExecutor:
    """See `matrix.core.ports.Executor`. Raises EnvironmentMismatchError when no daemon answers.

    `cache_dir` takes the build context while it is sent, `state_dir` the locks that keep two processes from building
    one image twice. `index` is asked at each build: it reads the user's package index settings.
    """

    name = "docker"

    def __init__(
        self,
        cache_dir: Path,
        state_dir: Path,
        settings: DockerSettings | None = None,
        *,
        index: Callable[[], IndexSettings] = IndexSettings,
        dockerfile: Callable[[str], str] = paths.dockerfile_text,
    ) -> None:
        self._cache = cache_dir.resolve()
        self._locks = state_dir.resolve() / "locks"
        self._settings = settings or DockerSettings()
        self._index = index
        self._dockerfile = dockerfile
        self._client = connect()
        self._user = container_user(self._client)

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        """Make or reuse the image; raises BuildError, InfraError or EnvironmentMismatchError."""
        begun = time.monotonic()
        tag, text = image.tag_of(recipe), self._dockerfile(recipe.dockerfile)
        inputs = image.inputs_of(text, self._settings.base_image)
        notes: list[str] = []
        with _writing(log), self._lock(recipe, note):
            found = image.find_image(self._client, recipe, inputs)
            if found is None:
                work = ImageBuild(self._client, recipe, text, self._settings, note)
                work.run(tag, labels.image_labels(recipe.hash, inputs), self._index(), log, self._cache)
                notes += work.notes
                image.drop_superseded(self._client, recipe)
            made = found or image.find_image(self._client, recipe, inputs)
        if made is None:
            raise InfraError(f"the image {tag} was removed while it was built", hint="run again")
        lock = image.read_lock(self._client, made)
        spent = time.monotonic() - begun
        return Artifact("image", tag, image.image_id(made), lock, spent, found is not None, tuple(notes))

    def built(self, recipe: Recipe) -> bool:
        inputs = image.inputs_of(self._dockerfile(recipe.dockerfile), self._settings.base_image)
        return image.find_image(self._client, recipe, inputs) is not None

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> DockerServer:
        """Start the server; its port is on 127.0.0.1, chosen by the daemon. The output is appended to `log`."""
        draft = cell.spec.draft
        place = Placement(paths.TARGET, paths.DRAFT if draft else None, "0.0.0.0", paths.PORT, run_id)  # noqa: S104
        mounts = model_mounts(cell.target.path, paths.TARGET)
        mounts += model_mounts(draft.path, paths.DRAFT) if draft else []
        marks = labels.container_labels(self._recipe_of(artifact), run_id)
        request = container_request(artifact.digest, plan(place), mounts, marks, self._settings, self._user)
        with _writing(log):
            return start(self._client, request, log, command_line(request, artifact.ref), self._settings)

    def reap(self) -> list[str]:
        return leftovers.reap(self._client)

    def _recipe_of(self, artifact: Artifact) -> str:
        with speaking("looking at an image"):
            return str(self._client.images.get(artifact.digest).labels.get(labels.RECIPE, ""))

    def _lock(self, recipe: Recipe, note: Callable[[str], None]) -> AbstractContextManager[None]:
        return held(self._locks / f"image-{recipe.hash[:12]}.lock", "image", note)


@contextmanager
def _writing(log: Path) -> Iterator[None]:
    """Files of this host that cannot be written are the machine's fault."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as exc:
        raise InfraError(
            f"cannot write {exc.filename or log}: {exc.strerror or exc}", hint="is the disk full?"
        ) from exc


def container_user(client: DockerClient) -> str:
    """`uid:gid` that servers run as: this process's own, so that they read the models as the user does.

    A daemon without root maps its own user to 0 inside, and other numbers to users who own nothing.
    """
    with speaking("looking at the daemon"):
        options = client.info().get("SecurityOptions") or []
    mapped = any("rootless" in option or "userns" in option for option in options)
    return "0:0" if mapped else f"{os.getuid()}:{os.getgid()}"
