"""Nightlies and commits of an engine as revisions: where each is published, and what its version is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from matrix.core.errors import ConfigError
from matrix.core.index import IndexSettings
from matrix.core.revision import Revision, RevisionKind, commit_version
from matrix.engines import sglang_recipe_rows, vllm_recipe_rows
from matrix.engines.quirks import find, what
from matrix.sources import git
from matrix.sources.wheel_pages import Wheel, wheels

_LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Builds:
    """Looks up `engine`'s builds; `clone` is its repository (empty: none), `settings` the user's index settings.

    `overlaid`: no wheel of a commit fits, its Python is laid over the release that it follows.
    """

    engine: str
    clone: str
    cache_dir: Path
    settings: Callable[[], IndexSettings]
    overlaid: bool = False

    def nightly(self, day: str) -> Revision:
        """The nightly of a day (YYYY-MM-DD), or the newest (`latest`). Raises ConfigError where there is none."""
        if self.engine == "vllm" and day != _LATEST:
            return self.commit(git.commit_of_day(self._repository(), day), RevisionKind.NIGHTLY)
        offered = self.nightlies()
        found = [wheel for wheel in offered if day == _LATEST or f".dev{day.replace('-', '')}" in wheel.version]
        if not found:
            newest = ", ".join(wheel.version for wheel in offered[-3:]) or "none"
            raise ConfigError(f"{self.engine} has no nightly of {day}", hint=f"the newest there: {newest}")
        return Revision(self.engine, found[-1].version, RevisionKind.NIGHTLY, found[-1].commit)

    def commit(self, digits: str, kind: RevisionKind) -> Revision:
        """The revision of a commit, given by 7 to 40 digits. Raises ConfigError where it cannot be found."""
        if self.engine == "sglang" or self.overlaid:
            return self._laid_over(digits)
        commit = digits if len(digits) == 40 else git.whole_hash(self._repository(), digits)
        found = _of(commit, self._wheels(_index("commit", commit)))
        if found is None:
            hint = "a commit off the main branch, or whose build failed, has none: take a neighbour"
            raise ConfigError(f"vLLM has no wheel of commit {commit}", hint=hint)
        return Revision(self.engine, found.version, kind, commit)

    def known(self, revision: Revision) -> Revision:
        """The revision with its whole commit, where its version holds a part of it and `clone` the rest."""
        local = Version(revision.version).local or ""
        if revision.kind is not RevisionKind.NIGHTLY or not self.clone or not local.startswith("g"):
            return revision
        return replace(revision, commit=git.whole_hash(self._repository(), local.removeprefix("g")))

    def nightlies(self) -> list[Wheel]:
        """Nightly wheels, oldest first, of all of the engine's own nightly indexes."""
        if self.engine == "vllm":
            return [wheel for wheel in self._wheels(_index("nightly")) if Version(wheel.version).is_devrelease]
        rows = [row for row in sglang_recipe_rows.INDEXES if row.topic == "nightly"]
        found = {wheel.version: wheel for row in reversed(rows) for wheel in self._wheels(row.what)}
        return [found[version] for version in sorted(found, key=Version) if Version(version).is_devrelease]

    def _laid_over(self, digits: str) -> Revision:
        """A commit over the release it follows, else SGLang's nightly wheel; one that is tagged is a release.

        A commit with neither is a revision all the same: the adapter says why it cannot be installed.
        """
        repo = self._repository()
        commit = git.whole_hash(repo, digits)
        base, distance = git.nearest_release(repo, commit)
        if distance == 0:
            return Revision(self.engine, base)
        fits = self.overlaid or find(sglang_recipe_rows.OVERLAYS, "overlay", base) is not None
        wheel = None if fits else _of(commit, self.nightlies())
        version = wheel.version if wheel else commit_version(base, distance, commit)
        return Revision(self.engine, version, RevisionKind.COMMIT, commit)

    def _wheels(self, index: str) -> list[Wheel]:
        return wheels(index, self.engine, self.settings())

    def _repository(self) -> git.Repository:
        if not self.clone:
            hint = "give `clone`, the engine's repository, or all 40 digits"
            raise ConfigError("a commit's whole hash is found in the engine's repository", hint=hint)
        return git.repository(self.clone, self.cache_dir)


def _index(topic: str, commit: str = "") -> str:
    return what(vllm_recipe_rows.INDEXES, topic, "0").format(commit=commit)


def _of(commit: str, offered: Iterable[Wheel]) -> Wheel | None:
    """The newest wheel of a commit; a version names its commit by some of the digits (`+g25268f0c9`)."""
    return next((wheel for wheel in reversed(list(offered)) if _names(wheel, commit)), None)


def _names(wheel: Wheel, commit: str) -> bool:
    digits = (Version(wheel.version).local or "").partition(".")[0].removeprefix("g")
    return len(digits) >= 7 and commit.startswith(digits)
