"""The commits between two points of an engine's repository: order, parents, files touched, and equal trees."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from packaging.version import InvalidVersion, Version

from matrix.core.errors import ConfigError
from matrix.sources.git import Repository, feed, must_say, nearest_release, said, shallow

_MARK = "\x1e"
_PART = "\x1f"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its whole hash, parents, author date (ISO 8601), first line, and files (of a merge: none)."""

    hash: str
    parents: tuple[str, ...]
    date: str
    subject: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Range:
    """What lies between two ends: `commits` in topological order, oldest first, the bad end last.

    `good` is the commit that the range starts after. Where the good end asked for is no ancestor of the bad one (a
    release tag on a branch of its own) it is their merge base, and `asked` the end that was asked for.
    """

    good: str
    commits: tuple[Commit, ...]
    asked: str = ""
    outside: frozenset[str] = field(default=frozenset())


def between(repo: Repository, good: str, bad: str) -> Range:
    """The commits that `bad` holds and `good` does not; both are whole hashes.

    Raises ConfigError for ends that are equal, swapped or unrelated, and for a history of which commits are missing.
    """
    if good == bad:
        raise ConfigError(f"both ends are {good[:12]}", hint="give two different points")
    base = said(repo, "merge-base", good, bad)
    if base is None:
        # A history that cannot be walked has no common commit either: git then says what it lacks.
        must_say(repo, "rev-list", "--count", good, bad)
        cut = shallow(repo)
        why = ": the clone is shallow" if cut else ""
        hint = "fetch its whole history (`git fetch --unshallow`)" if cut else "give two ends of one history"
        raise ConfigError(f"{good[:12]} and {bad[:12]} have no commit in common{why}", hint=hint)
    if base == bad:
        hint = "swap them, or look for a fix with --regress fixed"
        raise ConfigError(f"the bad end {bad[:12]} is older than the good end {good[:12]}", hint=hint)
    commits = _commits(repo, base, bad)
    inside = {c.hash for c in commits}
    outside = frozenset(p for c in commits for p in c.parents if p not in inside)
    return Range(base, commits, "" if base == good else good, outside)


def _commits(repo: Repository, good: str, bad: str) -> tuple[Commit, ...]:
    form = f"--format={_MARK}%H{_PART}%P{_PART}%aI{_PART}%s"
    text = must_say(repo, "log", "--topo-order", "--reverse", "--name-only", form, bad, f"^{good}")
    return tuple(_commit(block) for block in text.split(_MARK)[1:])


def _commit(block: str) -> Commit:
    head, _, rest = block.partition("\n")
    hash_, parents, date, subject = head.split(_PART, 3)
    return Commit(hash_, tuple(parents.split()), date, subject, tuple(line for line in rest.split("\n") if line))


def releases_of(repo: Repository, good: str, commits: Sequence[Commit]) -> dict[str, tuple[str, int]]:
    """For `good` and each commit the release that it follows, without its `v`, and how many commits lie between.

    As `nearest_release` says for one commit; of two lines that a merge joins, the one whose release is newer counts.
    """
    tagged = release_tags(repo)
    found = {good: nearest_release(repo, good)}
    for commit in commits:
        before = [found[p] for p in commit.parents if p in found] or [found[good]]
        base, distance = max(before, key=lambda place: (Version(place[0]), place[1]))
        found[commit.hash] = (tagged[commit.hash], 0) if commit.hash in tagged else (base, distance + 1)
    return found


def release_tags(repo: Repository) -> dict[str, str]:
    """Whole hash to release without its `v`, for tags such as v0.5.4; candidates and what is no version left out."""
    text = must_say(repo, "for-each-ref", "--format=%(objectname) %(*objectname) %(refname:short)", "refs/tags")
    found = {}
    for line in text.splitlines():
        hashes, name = line.split()[:-1], line.split()[-1]
        if name.startswith("v") and _is_release(name[1:]):
            found[hashes[-1]] = name[1:]
    return found


def _is_release(text: str) -> bool:
    """True for a release by PEP 440; candidates and development versions are none."""
    try:
        return not Version(text).is_prerelease
    except InvalidVersion:
        return False


def trees(repo: Repository, commits: Sequence[str], folder: str) -> dict[str, str]:
    """The hash of `folder` at each commit; a commit that lacks it is left out. Equal hashes hold equal files."""
    lines = feed(
        repo, (f"{commit}:{folder}" for commit in commits), "cat-file", "--batch-check=%(objectname) %(objecttype)"
    )
    found = zip(commits, lines, strict=True)
    return {commit: line.split()[0] for commit, line in found if line.endswith(" tree")}


def contains(repo: Repository, tags: Iterable[str], commit: str) -> list[str]:
    """Those of `tags` that hold `commit`."""
    return [tag for tag in tags if said(repo, "merge-base", "--is-ancestor", commit, tag) is not None]
