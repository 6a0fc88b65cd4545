"""Order of an engine's revisions."""

from collections.abc import Iterable
from functools import lru_cache

from packaging.version import InvalidVersion, Version

from matrix.core.revision import Revision, RevisionKind


@lru_cache(maxsize=16384)
def revision_order(version: str) -> tuple[int, Version, str]:
    """Sort key: PEP 440 order; versions that are none come last, by text.

    Nightlies hold their date or their count of commits, commits their count since a release (`core.revision`).
    """
    try:
        return (0, Version(version), "")
    except InvalidVersion:
        return (1, Version("0"), version)


def one_each(revisions: Iterable[Revision]) -> list[Revision]:
    """The revisions, oldest first, each once: of two spellings of one, that which tells the most stays."""
    found: dict[tuple[int, Version, str], Revision] = {}
    for revision in revisions:
        key = revision_order(revision.version)
        found[key] = max(found.get(key, revision), revision, key=_told)
    return [found[key] for key in sorted(found)]


def _told(revision: Revision) -> tuple[bool, bool]:
    return bool(revision.commit), revision.kind is RevisionKind.COMMIT
