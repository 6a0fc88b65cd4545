"""Which versions of a distribution the user's indexes hold."""

import json
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from packaging.version import InvalidVersion, Version
from pypi_simple import PYPI_SIMPLE_ENDPOINT, DistributionPackage

from matrix.core.cell import digest
from matrix.core.errors import ConfigError, InfraError
from matrix.core.index import IndexSettings
from matrix.sources.index_pages import UnreachableError, find_links_files, index_clock, index_files

KEPT_S = 600.0


def versions(
    project: str,
    settings: IndexSettings,
    *,
    prereleases: bool = False,
    cache_dir: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> list[str]:
    """All versions with a file that can be installed, oldest first by PEP 440, as the index spells them.

    Withdrawn (yanked) files do not count. With `cache_dir` an answer is kept for ten minutes. `say` is told before an
    index is asked, which may take a while.
    Raises ConfigError when no index knows the project, InfraError when one does not answer: what it holds is unknown.
    """
    key = digest([project, repr(settings), prereleases])[:24]
    path = cache_dir / "versions" / f"{key}.json" if cache_dir else None
    if path and (kept := _kept(path)) is not None:
        return kept
    say(f"asking the package index for {project}...")
    found = usable(listed(project, settings), prereleases=prereleases)
    if path:
        _keep(path, found)
    return found


def usable(files: Iterable[DistributionPackage], *, prereleases: bool) -> list[str]:
    """Versions of the wheels and source archives among `files`, sorted, each once."""
    found: dict[Version, str] = {}
    for file in files:
        if file.version is None or file.package_type not in ("wheel", "sdist") or file.is_yanked:
            continue
        with suppress(InvalidVersion):
            version = Version(file.version)
            if prereleases or not version.is_prerelease:
                found.setdefault(version, file.version)
    return [found[version] for version in sorted(found)]


def listed(project: str, settings: IndexSettings) -> list[DistributionPackage]:
    """Every file that the user's indexes list for a project. Raises ConfigError when none knows it, else InfraError."""
    indexes = [] if settings.no_index else [settings.index_url or PYPI_SIMPLE_ENDPOINT, *settings.extra_index_urls]
    places = [*indexes, *settings.find_links]
    tried = settings.redact(", ".join(places))
    found: list[DistributionPackage] = []
    known = False
    try:
        for index in indexes:
            page = index_files(index, project, settings)
            known = known or page is not None
            found += page or []
        for link in settings.find_links:
            found += find_links_files(link, project, settings)
    except UnreachableError as exc:
        hint = "check the network, the proxy and `pip config list`"
        cause = f"cannot list the versions of {project}: {settings.redact(str(exc))}; asked: {tried}"
        raise InfraError(cause, hint=hint) from None
    if not known and not found:
        raise ConfigError(f"no index knows {project}; asked: {tried or 'none'}", hint="check the spelling")
    return found


def clock(settings: IndexSettings) -> float | None:
    """What the first of the user's indexes says the time is (Unix seconds); None where it does not say.

    Raises InfraError when it does not answer.
    """
    if settings.no_index:
        return None
    index = settings.index_url or PYPI_SIMPLE_ENDPOINT
    try:
        return index_clock(index, settings)
    except UnreachableError as exc:
        hint = "check the network, the proxy and `pip config list`"
        raise InfraError(f"the package index does not answer: {settings.redact(str(exc))}", hint=hint) from None


def _kept(path: Path) -> list[str] | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        body = json.loads(path.read_text())
        if 0 <= time.time() - body["at"] < KEPT_S:
            return [str(version) for version in body["versions"]]
    return None


def _keep(path: Path, found: list[str]) -> None:
    with suppress(OSError):  # a cache that cannot be written only costs time
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({"at": time.time(), "versions": found}))
        part.replace(path)
