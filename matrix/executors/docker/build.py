"""One image build: the stream that the daemon sends, its log, and the error it may end in."""

import re
import tempfile
import uuid
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from docker import DockerClient

from matrix.core.errors import MatrixError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors import owner
from matrix.executors.docker import failures
from matrix.executors.docker.client import speaking
from matrix.executors.docker.context import write_context
from matrix.executors.docker.leftovers import clear_build
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.venv_failures import error as installer_error

Events = Generator[dict[str, Any], None, None]

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = re.compile(r"^(?: ---> |Removing intermediate container|Step \d+/\d+ :)|^\s*$")
_SLOW = ("FROM", "RUN", "COPY")
_FALLBACK = "no fitting torch in the index"
_STEP = re.compile(r"^Step (\d+/\d+) : (\S+)")


class ImageBuild:
    """Builds the image of one recipe. Raises BuildError, InfraError or EnvironmentMismatchError.

    `notes` holds the departures from the plain way, such as the fallback to the torch index.
    """

    def __init__(
        self,
        client: DockerClient,
        recipe: Recipe,
        dockerfile: str,
        settings: DockerSettings,
        note: Callable[[str], None],
    ) -> None:
        self.notes: list[str] = []
        self._client = client
        self._recipe = recipe
        self._dockerfile = dockerfile
        self._settings = settings
        self._note = note
        self._step = ""
        self._said: deque[str] = deque(maxlen=200)

    def run(self, tag: str, image_labels: dict[str, str], index: IndexSettings, log: Path, scratch: Path) -> None:
        """Build and tag; the builder's output is appended to `log`. Stages left untagged are removed on every exit."""
        build_id = uuid.uuid4().hex
        scratch.mkdir(parents=True, exist_ok=True)
        # An unnamed file: it may hold credentials, and a killed process must not leave it behind.
        with tempfile.TemporaryFile(dir=scratch) as context, log.open("a") as out:
            write_context(context, self._dockerfile, self._settings, index, self._note)
            context.seek(0)
            try:
                # Closing the stream closes its connection, at which the daemon gives the build up.
                events = self._events(context, tag, image_labels, build_id)
                with speaking("building an image"), closing(events):
                    for event in events:
                        text = index.redact(_ESCAPE.sub("", str(event.get("stream", ""))))
                        out.write(text)
                        out.flush()
                        self._take(text)
                        if "error" in event:
                            raise self._failure(index.redact(str(event["error"])), log)
            finally:
                clear_build(self._client, build_id)

    def _events(self, context: Any, tag: str, image_labels: dict[str, str], build_id: str) -> Events:
        # The SDK's annotations know the undecoded stream only.
        events: Events = self._client.api.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
            labels=image_labels,
            buildargs=build_args(self._recipe, self._settings, build_id),
            network_mode=self._settings.build_network,
            rm=True,
            forcerm=True,
            decode=True,
        )
        return events

    def _take(self, text: str) -> None:
        for line in text.splitlines():
            step = _STEP.match(line)
            if step:
                self._step = step[2]
                if step[2] in _SLOW:
                    self._note(f"image step {step[1]}: {step[2]}")
            elif line.startswith(_FALLBACK):
                self.notes.append(line)
                self._note(line)
            elif not _NOISE.search(line):
                self._said.append(line)

    def _failure(self, text: str, log: Path) -> MatrixError:
        if failures.disk_full("\n".join([*self._said, text])):
            return failures.refusal(f"no space left on device: {text}", "building an image")
        if self._step in ("", "FROM"):
            return failures.base_image_missing(self._settings.base_image, text)
        # The daemon's own message only repeats the command; what the command said tells more.
        said = "\n".join(self._said) or text
        return installer_error(f"{self._recipe.name} in an image", said, log)


def build_args(recipe: Recipe, settings: DockerSettings, build_id: str) -> dict[str, str]:
    """What the Dockerfiles take: requirements one a line, the rest separated by spaces."""
    return {
        "BASE_IMAGE": settings.base_image,
        "APT": " ".join(recipe.apt),
        "REQUIREMENTS": "\n".join(recipe.requirements),
        "REMOVE": " ".join(recipe.remove),
        "TORCH_BACKEND": "cpu" if recipe.torch_cpu else "",
        "OWNER": owner.me(),
        "BUILD": build_id,
    }
