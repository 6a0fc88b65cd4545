"""What an engine project's own wheel indexes hold."""

import re
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.sources.index_pages import UnreachableError, index_files

_WHOLE_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One version that an index offers; `commit` is the whole hash where the wheel's address holds it, else empty."""

    version: str
    commit: str


def wheels(index: str, project: str, settings: IndexSettings) -> list[Wheel]:
    """The versions on the index, oldest first, each once; empty where the index does not know the project.

    Raises InfraError where it does not answer.
    """
    try:
        files = index_files(index, project, settings) or []
    except UnreachableError as exc:
        hint = "check the network, the proxy and `pip config list`"
        raise InfraError(f"cannot list the wheels of {project}: {settings.redact(str(exc))}", hint=hint) from None
    found: dict[Version, Wheel] = {}
    for file in files:
        if file.package_type == "wheel" and file.version and not file.is_yanked:
            try:
                version = Version(file.version)
            except InvalidVersion:
                continue
            commit = _WHOLE_HASH.search(file.url)
            found.setdefault(version, Wheel(str(version), commit[0] if commit else ""))
    return [found[version] for version in sorted(found)]
