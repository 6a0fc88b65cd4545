"""Order of an engine's revisions."""

from packaging.version import InvalidVersion, Version


def revision_order(version: str) -> tuple[int, Version, str]:
    """Sort key: PEP 440 order; versions that are none come last, by text."""
    try:
        return (0, Version(version), "")
    except InvalidVersion:
        return (1, Version("0"), version)
