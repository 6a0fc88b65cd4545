"""One installable point of an engine."""

import re
from dataclasses import dataclass
from enum import StrEnum

from packaging.version import InvalidVersion, Version

_OF_COMMIT = re.compile(r"\d+\.g[0-9a-f]{7,40}")


class RevisionKind(StrEnum):
    RELEASE = "release"
    NIGHTLY = "nightly"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class Revision:
    """Engine name and version as its index spells it (`vllm` `0.32.0`); `commit` is the whole hash, where it is known.

    A commit that no index has a version for is `BASE+N.gHASH`: N commits after the release BASE (`commit_version`).
    """

    engine: str
    version: str
    kind: RevisionKind = RevisionKind.RELEASE
    commit: str = ""

    def __str__(self) -> str:
        return f"{self.engine} {self.version}"

    @property
    def base(self) -> str:
        """The version without what follows `+`: for a commit, the release that it was counted from."""
        return self.version.partition("+")[0]


def commit_version(base: str, distance: int, commit: str) -> str:
    """PEP 440 spelling of a commit, sorted after `base`, before the next release, and by `distance` in between."""
    return f"{base}+{distance}.g{commit[:9]}"


def kind_of(version: str) -> RevisionKind:
    """What a version's spelling says: a release, a nightly build (`.dev`), or a commit (`commit_version`)."""
    try:
        found = Version(version)
    except InvalidVersion:
        return RevisionKind.RELEASE
    if found.is_devrelease:
        return RevisionKind.NIGHTLY
    return RevisionKind.COMMIT if _OF_COMMIT.fullmatch(found.local or "") else RevisionKind.RELEASE
