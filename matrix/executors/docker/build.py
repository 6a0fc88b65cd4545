"""One image build: the stream that the daemon sends, its log, and the error it may end in."""

import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from docker import DockerClient

from matrix.core.errors import MatrixError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors import owner
from matrix.executors.docker import failures
from matrix.executors.docker.client import speaking
from matrix.executors.docker.leftovers import clear_build
from matrix.executors.installed import unpinned
from matrix.executors.venv_failures import error as installer_error

Events = Generator[dict[str, Any], None, None]

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = re.compile(r"^(?: ---> |Removing intermediate container|Step \d+/\d+ :)|^\s*$")
_SLOW = ("FROM", "RUN", "COPY", "ADD")
_DEPARTURES = ("no fitting torch in the index", "the index tells no upload dates")
_STEP = re.compile(r"^Step (\d+/\d+) : (\S+)")


class ImageBuild:
    """Builds the image of one recipe. Raises BuildError, InfraError or EnvironmentMismatchError.

    `name` is the recipe's, `args` are the build arguments, of which BASE_IMAGE and BUILD are also read here. `notes`
    holds the departures from the plain way, such as the fallback to the torch index.
    """

    def __init__(
        self,
        client: DockerClient,
        name: str,
        args: Mapping[str, str],
        network: str | None,
        note: Callable[[str], None],
        redact: Callable[[str], str],
    ) -> None:
        self.notes: list[str] = []
        self._client = client
        self._name = name
        self._args = dict(args)
        self._network = network
        self._note = note
        self._redact = redact
        self._step = self._begun = ""
        self._said: deque[str] = deque(maxlen=200)

    def run(self, context: IO[bytes], tag: str, image_labels: dict[str, str], log: Path) -> None:
        """Build `context` (a tar) and tag it; the builder's output is appended to `log`. Stages left untagged are
        removed on every exit.
        """
        with log.open("a") as out:
            try:
                # Closing the stream closes its connection, at which the daemon gives the build up.
                events = self._events(context, tag, image_labels)
                with speaking("building an image"), closing(events):
                    for event in events:
                        self._hear(str(event.get("stream", "")), out)
                        if "error" in event:
                            self._hear("\n", out)
                            raise self._failure(self._redact(str(event["error"])), log)
                    self._hear("\n", out)
            finally:
                if "BUILD" in self._args:
                    clear_build(self._client, self._args["BUILD"])

    def _events(self, context: Any, tag: str, image_labels: dict[str, str]) -> Events:
        # The SDK's annotations know the undecoded stream only.
        events: Events = self._client.api.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
            labels=image_labels,
            buildargs=self._args,
            network_mode=self._network,
            rm=True,
            forcerm=True,
            decode=True,
        )
        return events

    def _hear(self, text: str, out: IO[str]) -> None:
        """The daemon cuts its stream anywhere: only whole lines can be redacted and understood."""
        *whole, self._begun = (self._begun + text).split("\n")
        lines = [self._redact(_ESCAPE.sub("", line)) for line in whole]
        out.writelines(f"{line}\n" for line in lines if line.strip())
        out.flush()
        self._take(lines)

    def _take(self, lines: Iterable[str]) -> None:
        for line in lines:
            step = _STEP.match(line)
            if step:
                self._step = step[2]
                if step[2] in _SLOW:
                    self._note(f"image step {step[1]}: {step[2]}")
            elif line.startswith(_DEPARTURES):
                self.notes.append(line)
                self._note(line)
            elif not _NOISE.search(line):
                self._said.append(line)

    def _failure(self, text: str, log: Path) -> MatrixError:
        if failures.disk_full("\n".join([*self._said, text])):
            return failures.refusal(f"no space left on device: {text}", "building an image")
        if self._step in ("", "ARG", "FROM"):
            return failures.base_image_missing(self._args["BASE_IMAGE"], text)
        # The daemon's own message only repeats the command; what the command said tells more.
        said = "\n".join(self._said) or text
        return installer_error(f"{self._name} in an image", said, log)


def build_args(recipe: Recipe, base_image: str, index: IndexSettings, build_id: str) -> dict[str, str]:
    """What the engines' Dockerfiles take: requirements and overrides one a line, the rest separated by spaces."""
    indexes = () if index.no_index else recipe.indexes
    return {
        "BASE_IMAGE": base_image,
        "APT": " ".join(recipe.apt),
        "REQUIREMENTS": "\n".join(recipe.requirements),
        "REMOVE": " ".join(recipe.remove),
        "TORCH_BACKEND": "cpu" if recipe.torch_cpu else "",
        "INDEXES": " ".join(indexes),
        "FIRST": " ".join(unpinned(recipe) if indexes else ()),
        "PRERELEASE": "1" if recipe.prerelease else "",
        "BEFORE": recipe.before,
        "OVERRIDES": "\n".join(recipe.overrides),
        "OWNER": owner.me(),
        "BUILD": build_id,
    }
