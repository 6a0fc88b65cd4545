"""The image of a recipe: pulled, built from a Dockerfile, or one commit laid over one of these."""

import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from docker import DockerClient
from docker.models.images import Image

from matrix.core.errors import BuildError, InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Overlay, Recipe
from matrix.executors.docker import image, labels, paths, pull
from matrix.executors.docker.build import ImageBuild, build_args
from matrix.executors.docker.context import write_context, write_overlay_context
from matrix.executors.docker.packages import list_packages, read_lock
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.git_tree import Repository, git_environ
from matrix.executors.installed import verify
from matrix.executors.locks import held
from matrix.executors.overlay import below, line
from matrix.executors.overlay_needs import unmet_note
from matrix.executors.venv_shell import Shell

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Made:
    """An image: `ref` for people and for FROM lines, the digest that names its content, its packages."""

    ref: str
    digest: str
    lock: tuple[str, ...]
    reused: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Images:
    """Makes images of recipes. `cache` takes contexts, repositories and package lists, `locks` the lock files.

    `index` reads the user's package index settings, `dockerfile` gives the text of a Dockerfile by its name.
    """

    client: DockerClient
    settings: DockerSettings
    index: Callable[[], IndexSettings]
    dockerfile: Callable[[str], str]
    cache: Path
    locks: Path

    def there(self, recipe: Recipe) -> bool:
        """True when `make` would neither pull nor build."""
        return self._there(recipe) is not None

    def make(self, recipe: Recipe, log: Path, note: Note) -> Made:
        """Make or reuse the image; raises BuildError, InfraError or EnvironmentMismatchError."""
        with held(self.locks / f"image-{recipe.hash[:12]}.lock", "image", note):
            found = self._there(recipe)
            if recipe.overlay:
                return self._laid_over(recipe, recipe.overlay, found, log, note)
            return (self._pulled if recipe.image else self._built)(recipe, found, log, note)

    def _there(self, recipe: Recipe) -> Image | None:
        if recipe.image and not recipe.overlay:
            return pull.local_image(self.client, recipe.image)
        return image.find_image(self.client, recipe, self._inputs(recipe))

    def _inputs(self, recipe: Recipe) -> str:
        """What besides the recipe decides an image of ours."""
        texts = [] if recipe.image else [self.dockerfile(below(recipe).dockerfile)]
        texts += [self.dockerfile(paths.overlay_dockerfile(recipe.overlay.package))] if recipe.overlay else []
        return image.inputs_of(*texts, self.settings.base_image)

    def _pulled(self, recipe: Recipe, found: Image | None, log: Path, note: Note) -> Made:
        """The published image. One that is here is taken as it is: what was measured with it stays comparable."""
        made = found or pull.pull(self.client, recipe.image, log, note)
        pull.check_platform(self.client, made, recipe.image)
        ref, digest = pull.pinned(made, recipe.image)
        lock = list_packages(self.client, image.image_id(made), recipe.image, self.packages)
        verify(recipe, lock)
        return Made(ref, digest, lock, found is not None)

    def _built(self, recipe: Recipe, found: Image | None, log: Path, note: Note) -> Made:
        notes: list[str] = []
        if found is None:
            index = self.index()
            args = build_args(recipe, self.settings.base_image, index, uuid.uuid4().hex)
            with self._scratch() as context:
                write_context(context, self.dockerfile(recipe.dockerfile), self.settings, index, note)
                notes = self._build(recipe, context, args, {}, index, log, note)
        made = self._finished(recipe, found)
        lock = read_lock(self.client, image.image_id(made))
        try:
            verify(recipe, lock)
        except BuildError:
            image.drop(self.client, made)
            raise
        return Made(image.tag_of(recipe), image.image_id(made), lock, found is not None, tuple(notes))

    def _laid_over(self, recipe: Recipe, overlay: Overlay, found: Image | None, log: Path, note: Note) -> Made:
        """The image of the same recipe without the overlay, which all commits on it share, and the commit over it."""
        notes: list[str] = []
        made = found
        if made is None:
            repository = Repository(self.cache / "git", Shell(git_environ(), log, self.index().redact))
            tree = repository.tree(overlay)
            marks = labels.overlay_labels(tree, below(recipe).hash, published=bool(recipe.image))
            # A commit that changed nothing of the package is the same artifact as the one before it.
            made = image.find_labelled(self.client, marks | {labels.INPUTS: self._inputs(recipe)})
            if made is None:
                notes = self._lay_over(recipe, overlay, repository, marks, log, note)
        made, reused = self._finished(recipe, made), made is not None
        of_it = image.image_id(made)
        own = list_packages(self.client, of_it, of_it, self.packages) if recipe.image else read_lock(self.client, of_it)
        lock = tuple(sorted([*own, line(overlay, made.labels[labels.TREE])]))
        return Made(made.tags[0], of_it, lock, reused, tuple(notes))

    def _lay_over(
        self, recipe: Recipe, overlay: Overlay, repository: Repository, marks: dict[str, str], log: Path, note: Note
    ) -> list[str]:
        """Make the image below where it is not there, and this one over it; returns the notes of both."""
        base = self.make(below(recipe), log, note)
        note(f"laying commit {overlay.commit[:12]} over {base.ref}")
        args = {"BASE_IMAGE": base.ref, "PACKAGE": overlay.package}
        with self._scratch() as context, tempfile.NamedTemporaryFile(dir=self.cache, suffix=".tar") as archive:
            repository.archive(overlay, Path(archive.name))
            text = self.dockerfile(paths.overlay_dockerfile(overlay.package))
            write_overlay_context(context, text, Path(archive.name))
            unmet = unmet_note(repository, overlay, base.lock)
            return [*base.notes, *unmet, *self._build(recipe, context, args, marks, self.index(), log, note)]

    def _build(
        self,
        recipe: Recipe,
        context: IO[bytes],
        args: dict[str, str],
        marks: dict[str, str],
        index: IndexSettings,
        log: Path,
        note: Note,
    ) -> list[str]:
        """Build and tag; returns the notes."""
        context.seek(0)
        work = ImageBuild(self.client, recipe.name, args, self.settings.build_network, note, index.redact)
        work.run(context, image.tag_of(recipe), labels.image_labels(recipe.hash, self._inputs(recipe)) | marks, log)
        image.drop_superseded(self.client, recipe)
        return work.notes

    def _finished(self, recipe: Recipe, found: Image | None) -> Image:
        made = found or self._there(recipe)
        if made is None:
            raise InfraError(f"the image {image.tag_of(recipe)} was removed while it was built", hint="run again")
        return made

    @property
    def packages(self) -> Path:
        """Where the package lists of published images are kept."""
        return self.cache / "packages"

    @contextmanager
    def _scratch(self) -> Iterator[IO[bytes]]:
        """An unnamed file: it may hold credentials, and a killed process must not leave it behind."""
        self.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self.cache) as file:
            yield file
