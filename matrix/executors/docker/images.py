"""The image of a recipe: pulled, built from a Dockerfile, or one commit laid over one of these."""

import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from docker import DockerClient
from docker.models.images import Image

from matrix.core.errors import BuildError, InfraError, MatrixError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Artifact, Overlay, Recipe
from matrix.executors.docker import image, labels, paths, pull
from matrix.executors.docker.build import ImageBuild, build_args
from matrix.executors.docker.context import write_context, write_overlay_context
from matrix.executors.docker.mirror import Mirror, named, restore
from matrix.executors.docker.packages import list_packages, read_lock
from matrix.executors.docker.records import ImageRecord, Records
from matrix.executors.docker.settings import DockerSettings
from matrix.executors.git_tree import Repository, git_environ
from matrix.executors.installed import verify
from matrix.executors.locks import held
from matrix.executors.overlay import below, line
from matrix.executors.overlay_needs import unmet_note
from matrix.executors.uses import IMAGE, Uses
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

    `index` reads the user's package index settings, `dockerfile` gives the text of a Dockerfile by its name. What is
    made is noted in `records`, when it was used in `uses`.
    """

    client: DockerClient
    settings: DockerSettings
    index: Callable[[], IndexSettings]
    dockerfile: Callable[[str], str]
    cache: Path
    locks: Path
    records: Records
    uses: Uses

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

    def here(self, artifact: Artifact) -> str:
        """The name by which the daemon knows exactly this image: a copy's digest is not that of its original."""
        exactly = artifact.ref if "@" in artifact.ref else artifact.digest
        if pull.local_image(self.client, exactly) is None and (record := self.records.of_digest(artifact.digest)):
            return record.image_id
        return exactly

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
        known = self.records.get(recipe.image)
        made = found or self._fetched(recipe.image, known, log, note)
        pull.check_platform(self.client, made, recipe.image)
        of_it = image.image_id(made)
        notes: tuple[str, ...] = ()
        ref, digest = pull.pinned(made, recipe.image)
        if known is not None and known.image_id == of_it:
            ref, digest = known.ref, known.digest
        elif known is not None:
            notes = (f"{recipe.image} stood for {known.digest} when it was used before",)
        lock = list_packages(self.client, of_it, recipe.image, self.packages)
        verify(recipe, lock)
        record = ImageRecord(recipe.image, recipe.image, ref, digest, of_it, recipe.hash, ours=found is None)
        self._noted(record, log, note)
        return Made(ref, digest, lock, found is not None, notes)

    def _fetched(self, name: str, known: ImageRecord | None, log: Path, note: Note) -> Image:
        """The image that the name stood for when it was first used; where nobody has that any more, what it stands for
        now.
        """
        if known is None or "@" not in known.ref:
            return pull.pull(self.client, name, log, note)
        try:
            made = pull.pull(self.client, known.ref, log, note)
            named(self.client, made, name)
            return made
        except (BuildError, InfraError) as lost:
            if known.mirror:
                return self._copy(known, lost, log, note)
            if isinstance(lost, InfraError):
                raise
        return pull.pull(self.client, name, log, note)

    def _copy(self, known: ImageRecord, lost: MatrixError, log: Path, note: Note) -> Image:
        try:
            note(f"{known.ref} cannot be had: {lost.cause}")
            return restore(self.client, known, log, note)
        except MatrixError as error:
            if isinstance(lost, InfraError) or isinstance(error, InfraError):
                raise error from lost
        return pull.pull(self.client, known.name, log, note)

    def _noted(self, record: ImageRecord, log: Path, note: Note) -> None:
        """Note that the image is used, and have a copy made where one is asked for and not there yet."""
        known, place = self.records.get(record.key), self.settings.mirror
        if known is not None and known.image_id == record.image_id:
            record = replace(record, mirror=known.mirror, ours=known.ours or record.ours)
        if place and not record.mirror.startswith(f"{place}/"):
            record = replace(record, mirror=Mirror(self.client, place).push(record, log, note) or record.mirror)
        if record != known:
            self.records.keep(record)
        self.uses.note(IMAGE, record.image_id)

    def _key(self, recipe: Recipe) -> str:
        return f"{recipe.hash} {self._inputs(recipe)}"

    def _restored(self, recipe: Recipe, log: Path, note: Note) -> Image | None:
        """The image that was built for this recipe before, from its copy: built again it would be another one."""
        known = self.records.get(self._key(recipe))
        if known is None or not known.mirror:
            return None
        try:
            made = restore(self.client, known, log, note)
        except MatrixError as error:
            note(f"{known.mirror} cannot be had, so {known.name} is built again: {error.cause}")
            return None
        return made

    def _noted_build(self, recipe: Recipe, made: Image, name: str, ours: bool, log: Path, note: Note) -> None:
        of_it = image.image_id(made)
        record = ImageRecord(self._key(recipe), name, name, of_it, of_it, recipe.hash, ours=ours)
        self._noted(record, log, note)

    def _built(self, recipe: Recipe, found: Image | None, log: Path, note: Note) -> Made:
        notes: list[str] = []
        there = found is not None
        found = found or self._restored(recipe, log, note)
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
        self._noted_build(recipe, made, image.tag_of(recipe), not there, log, note)
        return Made(image.tag_of(recipe), image.image_id(made), lock, found is not None, tuple(notes))

    def _laid_over(self, recipe: Recipe, overlay: Overlay, found: Image | None, log: Path, note: Note) -> Made:
        """The image of the same recipe without the overlay, which all commits on it share, and the commit over it."""
        notes: list[str] = []
        made = found or self._restored(recipe, log, note)
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
        self._noted_build(recipe, made, made.tags[0], found is None, log, note)
        return Made(made.tags[0], of_it, lock, reused, tuple(notes))

    def _lay_over(
        self, recipe: Recipe, overlay: Overlay, repository: Repository, marks: dict[str, str], log: Path, note: Note
    ) -> list[str]:
        """Make the image below where it is not there, and this one over it; returns the notes of both."""
        base = self.make(below(recipe), log, note)
        note(f"laying commit {overlay.commit[:12]} over {base.ref}")
        known = "@" not in base.ref or pull.local_image(self.client, base.ref) is not None
        args = {"BASE_IMAGE": base.ref if known else recipe.image, "PACKAGE": overlay.package}
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
