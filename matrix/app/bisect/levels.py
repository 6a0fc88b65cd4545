"""The points between two bounds at one level."""

from collections.abc import Callable, Iterable, Mapping

from packaging.version import Version

from matrix.app.bisect.bounds import Bounds
from matrix.app.bisect.points import Line, Point, in_a_row
from matrix.app.bisect.request import Level
from matrix.app.bisect.subject import Subject
from matrix.bisect.history import from_parents
from matrix.bisect.priors import weight
from matrix.core.errors import ConfigError
from matrix.core.revision import Revision, RevisionKind, commit_version
from matrix.plan.history import revision_order
from matrix.plan.versions import spelled
from matrix.sources.commits import Commit, Range, between, releases_of, trees
from matrix.sources.git import Repository, uncommitted

_PACKAGES = {"vllm": "vllm", "sglang": "python/sglang"}


def level_of(good: Revision | None, bad: Revision) -> Level:
    """The coarsest level that can hold both bounds."""
    kinds = {bad.kind} | ({good.kind} if good else set())
    if RevisionKind.COMMIT in kinds:
        return Level.COMMIT
    return Level.NIGHTLY if RevisionKind.NIGHTLY in kinds else Level.RELEASE


def releases(bounds: Bounds, good: Revision, bad: Revision) -> Line:
    """The releases after `good` up to `bad`. Raises ConfigError for bounds that are equal or swapped."""
    _in_order(good, bad)
    _known(bounds, (good, bad))
    low, high = revision_order(good.version), revision_order(bad.version)
    inside = [v for v in bounds.releases() if low < revision_order(v) < high]
    return in_a_row(_point(good), [*(Point(v, v) for v in inside), _point(bad)])


def nightlies(bounds: Bounds, good: Revision, bad: Revision) -> Line:
    """The nightly builds after `good` up to `bad`, as the package indexes list them; no repository is needed.

    Raises ConfigError for bounds that are equal or swapped.
    """
    _in_order(good, bad)
    low, high = revision_order(good.version), revision_order(bad.version)
    inside = [r for r in bounds.nightlies() if low < revision_order(r.version) < high]
    return in_a_row(_point(good), [*map(_point, inside), _point(bad)])


def _known(bounds: Bounds, ends: Iterable[Revision]) -> None:
    """ConfigError for an end that no index has."""
    for end in ends:
        published = bounds.prereleases() if Version(end.version).is_prerelease else bounds.releases()
        if end.version not in published:
            newest = ", ".join(published[-3:]) or "none"
            raise ConfigError(f"no package index has {end}", hint=f"the newest there: {newest}")


def older_releases(bounds: Bounds, bad: Revision) -> list[Point]:
    """All releases before `bad`, newest first: where a missing good end may be."""
    high = revision_order(bad.version)
    return [Point(v, v) for v in reversed(bounds.releases()) if revision_order(v) < high]


def commits(bounds: Bounds, subject: Subject, good: Revision, bad: Revision) -> Line:
    """The commits that `bad` holds and `good` does not, likelier culprits weighing more."""
    repo = bounds.repository()
    ends = bounds.commit_of(good), bounds.commit_of(bad)
    found = between(repo, *ends)
    folder = _PACKAGES[subject.engine]
    same = trees(repo, [found.good, *(c.hash for c in found.commits)], folder)
    places = releases_of(repo, found.good, found.commits)
    return _line(repo, found, ends[0], lambda commit: _commit_point(commit, places, same))


def bare_commits(repo: Repository, good: str, bad: str) -> Line:
    """The commits between two whole hashes of any repository, whatever it holds."""
    return _line(repo, between(repo, good, bad), good, _bare_point)


def _line(repo: Repository, found: Range, asked: str, point: Callable[[Commit], Point]) -> Line:
    start = point(Commit(found.good, (), "", ""))
    order = [c.hash for c in found.commits]
    history = from_parents(order, {c.hash: c.parents for c in found.commits}, found.good, found.outside)
    weights = tuple(weight(c.files) for c in found.commits)
    return Line(start, tuple(map(point, found.commits)), history.parents, weights, tuple(_notes(repo, found, asked)))


def _bare_point(commit: Commit) -> Point:
    return Point(
        commit.hash, commit.hash[:12], RevisionKind.COMMIT, commit.hash, commit.subject, commit.date, commit.files
    )


def _commit_point(commit: Commit, places: Mapping[str, tuple[str, int]], same: Mapping[str, str]) -> Point:
    """A commit with a release's tag is that release."""
    base, distance = places[commit.hash]
    return Point(
        name=commit.hash,
        version=commit_version(base, distance, commit.hash) if distance else spelled(base),
        kind=RevisionKind.COMMIT if distance else RevisionKind.RELEASE,
        commit=commit.hash,
        subject=commit.subject,
        date=commit.date,
        files=commit.files,
        tree=same.get(commit.hash, ""),
    )


def _notes(repo: Repository, found: Range, asked: str) -> list[str]:
    notes = []
    if uncommitted(repo):
        notes.append(f"{repo.folder} has changes that are not committed: they stay as they are and are not tested")
    if found.good != asked:
        notes.append(
            f"{asked[:12]} is not on the bad end's branch: the search starts from their merge base {found.good[:12]}, "
            "which is run as the good end"
        )
    return notes


def _in_order(good: Revision, bad: Revision) -> None:
    low, high = revision_order(good.version), revision_order(bad.version)
    if low == high:
        raise ConfigError(f"both bounds are {good.version}", hint="give two different revisions")
    if low > high:
        hint = "swap them, or look for the repair with --regress fixed"
        raise ConfigError(f"the bad bound {bad.version} is older than the good bound {good.version}", hint=hint)


def _point(revision: Revision) -> Point:
    return Point(revision.version, revision.version, revision.kind, revision.commit)
