"""When versions of packages were published, as far as the user's indexes tell."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

from packaging.version import InvalidVersion, Version

from matrix.core.errors import MatrixError
from matrix.core.index import IndexSettings
from matrix.sources.package_index import listed

_AT_ONCE = 8


def upload_days(wanted: Mapping[str, str], settings: IndexSettings) -> dict[str, str]:
    """The time (ISO 8601, UTC) at which the first file of each version was uploaded, by package name.

    `wanted` is one version for each name. A package of which no index tells the time, or that no index knows or will
    list, is left out: the time only orders what is searched.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        days = pool.map(_uploaded, wanted.keys(), wanted.values(), repeat(settings))
        return {name: day for name, day in zip(wanted, days, strict=True) if day}


def _uploaded(name: str, version: str, settings: IndexSettings) -> str:
    try:
        files = listed(name, settings)
        mine = [f for f in files if f.version is not None and _same(f.version, version)]
    except MatrixError:
        return ""
    return min((f.upload_time.isoformat() for f in mine if f.upload_time is not None), default="")


def _same(one: str, other: str) -> bool:
    """True for two spellings of one version; a local build (`+cpu`) is as old as what it was built from."""
    try:
        return Version(one).public == Version(other).public
    except InvalidVersion:
        return False
