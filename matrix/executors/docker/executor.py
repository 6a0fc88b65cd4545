"""The docker executor: images published or built from our Dockerfiles, servers as hardened containers."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from docker import DockerClient

from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Artifact, LaunchPlan, Placement, Recipe
from matrix.executors.docker import labels, leftovers, paths
from matrix.executors.docker.client import connect, speaking
from matrix.executors.docker.images import Images
from matrix.executors.docker.mounts import model_mounts
from matrix.executors.docker.records import Records
from matrix.executors.docker.relay import Relay
from matrix.executors.docker.request import NO_NETWORK, command_line, container_request, without_network
from matrix.executors.docker.server import DockerServer, start
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.docker.user import container_user
from matrix.executors.uses import Uses


class DockerExecutor:
    """See `matrix.core.ports.Executor`. Raises EnvironmentMismatchError when no daemon answers.

    `cache_dir` takes the build context while it is sent, repositories of commits and the package lists of published
    images, `state_dir` notes on images and the locks that keep two processes from building one image twice. `index` is
    asked at each build: it reads the user's package index settings.
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
        self._settings = settings or DockerSettings()
        self._client = connect()
        cache, locks = cache_dir.resolve(), state_dir.resolve() / "locks"
        records, uses = Records(state_dir.resolve() / "images"), Uses(cache, state_dir.resolve())
        self._images = Images(self._client, self._settings, index, dockerfile, cache, locks, records, uses)
        self._mapped = maps_users(self._client)

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        """Make or reuse the image; raises BuildError, InfraError or EnvironmentMismatchError."""
        begun = time.monotonic()
        with _writing(log):
            made = self._images.make(recipe, log, note)
        spent = time.monotonic() - begun
        return Artifact("image", made.ref, made.digest, made.lock, spent, made.reused, made.notes)

    def built(self, recipe: Recipe) -> bool:
        return self._images.there(recipe)

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> DockerServer:
        """Start the server, reached by a port on 127.0.0.1. The output is appended to `log`."""
        draft = cell.spec.draft
        place = Placement(paths.TARGET, paths.DRAFT if draft else None, "0.0.0.0", paths.PORT, run_id)  # noqa: S104
        mounts = model_mounts(cell.target.path, paths.TARGET)
        mounts += model_mounts(draft.path, paths.DRAFT) if draft else []
        exactly = self._images.here(artifact)
        image = self._labels_of(exactly)
        user = container_user(published=labels.is_published(image), mapped=self._mapped)
        user.check_readable([cell.target.path, *([draft.path] if draft else [])])
        marks = labels.container_labels(image.get(labels.RECIPE, ""), run_id)
        with _writing(log):
            relay = Relay() if self._settings.network == NO_NETWORK else None
            try:
                request = container_request(exactly, plan(place), mounts, marks, self._settings, user)
                command = command_line(request, artifact.ref)
                if relay is not None:
                    request = without_network(request, relay.folder)
                return start(self._client, request, log, command, self._settings, relay)
            except BaseException:
                if relay is not None:
                    relay.close()
                raise

    def reap(self) -> list[str]:
        return leftovers.reap(self._client)

    def _labels_of(self, image: str) -> dict[str, str]:
        with speaking("looking at an image"):
            return dict(self._client.images.get(image).labels or {})


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


def maps_users(client: DockerClient) -> bool:
    """True for a daemon that maps its own user to 0 inside, and other numbers to users who own nothing."""
    with speaking("looking at the daemon"):
        options = client.info().get("SecurityOptions") or []
    return any("rootless" in option or "userns" in option for option in options)
