"""Whether what was asked for is what was installed: resolvers may settle on another version without a word."""

import re
from collections.abc import Iterable
from contextlib import suppress

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from matrix.core.errors import BuildError
from matrix.core.recipe import Recipe

_COMMIT = re.compile(r"/([0-9a-f]{40})(?:/|$)")
_SHORTEST = 7


def verify(recipe: Recipe, lock: Iterable[str]) -> None:
    """Raises BuildError, naming both versions, where a requirement of the recipe is not met by the packages of `lock`.

    A requirement without a version that comes from the index of one commit must carry that commit in its version.
    """
    found = versions(lock)
    removed = {canonicalize_name(name) for name in recipe.remove}
    for asked in _parsed((*recipe.requirements, *recipe.overrides)):
        name = canonicalize_name(asked.name)
        version = found.get(name)
        if name in removed or asked.url:
            continue
        if version is None and str(asked) in recipe.overrides:
            continue
        if version is None:
            raise BuildError(f"{asked.name} was asked for and is not installed", hint="read the build log")
        if not asked.specifier.contains(version, prereleases=True) and not _same_commit(str(asked.specifier), version):
            cause = f"{asked} was asked for and {asked.name} {version} was installed"
            raise BuildError(cause, hint="the index has no build of that version that fits this Python and platform")
        if not asked.specifier and (commit := commit_of(recipe)) and not _carries(version, commit):
            cause = f"{asked.name} of commit {commit[:12]} was asked for and {version} was installed"
            raise BuildError(cause, hint=f"see whether the index of that commit still has its wheel: {recipe.indexes}")


def versions(lock: Iterable[str]) -> dict[str, str]:
    """Canonical name to version of the `name==version` lines."""
    pairs = (line.split("==", 1) for line in lock if "==" in line and " @ " not in line)
    return {canonicalize_name(name): version for name, version in pairs}


def unpinned(recipe: Recipe) -> tuple[str, ...]:
    """Requirements that only the recipe's own indexes can mean: without a version, beside an index of one commit."""
    if not commit_of(recipe):
        return ()
    return tuple(str(r) for r in _parsed(recipe.requirements) if not r.specifier and not r.url)


def commit_of(recipe: Recipe) -> str | None:
    """The commit (40 hex digits) that an index of the recipe is named after."""
    return next((match[1] for url in recipe.indexes if (match := _COMMIT.search(url))), None)


def _parsed(requirements: Iterable[str]) -> Iterable[Requirement]:
    """Those that are no paths."""
    for text in requirements:
        with suppress(InvalidRequirement):
            yield Requirement(text)


def _same_commit(one: str, other: str) -> bool:
    """True for two spellings of one development build: images and wheels of a night count their commits differently."""
    hashes = [text.partition("+g")[2].split(".")[0] for text in (one, other)]
    return min(map(len, hashes)) >= _SHORTEST and (hashes[0].startswith(hashes[1]) or hashes[1].startswith(hashes[0]))


def _carries(version: str, commit: str) -> bool:
    """vLLM spells `0.28.1rc1.dev380+g25268f0c9`; a suffix such as `.precompiled` or `.cu129` may follow."""
    local = version.partition("+")[2].split(".")[0].removeprefix("g")
    return len(local) >= _SHORTEST and commit.startswith(local)
