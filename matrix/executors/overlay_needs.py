"""What a commit asks for beside its own files, held against what its base has."""

import tomllib
from collections.abc import Iterable
from contextlib import suppress

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from matrix.core.recipe import Overlay
from matrix.executors.git_tree import Repository
from matrix.executors.installed import versions


def unmet_note(repository: Repository, overlay: Overlay, lock: Iterable[str]) -> tuple[str, ...]:
    """One note naming the dependencies of the commit that its base does not meet; none where all are met.

    They are those of the `pyproject.toml` beside the package's folder. A crash, or a number, of such a commit may be
    the base's fault.
    """
    wanted = unmet(repository.read(overlay, "pyproject.toml") or "", lock)
    return (f"commit {overlay.commit[:12]} asks for {', '.join(wanted)}",) if wanted else ()


def unmet(pyproject: str, lock: Iterable[str]) -> list[str]:
    """`REQUIREMENT (here VERSION)` for each dependency that `lock` does not meet; nothing for a file without any."""
    found = versions(lock)
    return [
        f"{asked} (here {found.get(canonicalize_name(asked.name), 'none')})"
        for asked in _dependencies(pyproject)
        if not _met(asked, found.get(canonicalize_name(asked.name)))
    ]


def _met(asked: Requirement, version: str | None) -> bool:
    return version is not None and (bool(asked.url) or asked.specifier.contains(version, prereleases=True))


def _dependencies(pyproject: str) -> Iterable[Requirement]:
    with suppress(tomllib.TOMLDecodeError, AttributeError, TypeError):
        for text in tomllib.loads(pyproject).get("project", {}).get("dependencies", []):
            with suppress(InvalidRequirement):
                asked = Requirement(text)
                if asked.marker is None or asked.marker.evaluate():
                    asked.marker = None
                    yield asked
