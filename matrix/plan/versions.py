"""Which versions a line of `versions = [...]` means."""

import re
from collections.abc import Callable, Iterable
from datetime import date

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

_LATEST = re.compile(r"^latest(?::([1-9]\d{0,5}))?$")
_NIGHTLY = re.compile(r"^nightly:(latest|\d{4}-\d{2}-\d{2})$")
_COMMIT = re.compile(r"^commit:([0-9a-f]{7,40})$", re.IGNORECASE)
_NUMBERS = 3


def check_version_spec(text: str) -> str:
    """`text` unchanged if it is an exact version, a PEP 440 range, `latest`, `latest:N`, a nightly or a commit.

    Else ValueError.
    """
    if is_exact(text) or _LATEST.match(text) or commit_hash(text):
        return text
    if nightly_day(text):
        _check_day(text)
        return text
    try:
        if text.strip():
            SpecifierSet(text)
            return text
    except InvalidSpecifier:
        pass
    raise ValueError(
        f"`{text}` is no version: expected exact (`0.32.0`), a range (`>=0.30,<0.33`), `latest:N`, "
        "`nightly:YYYY-MM-DD`, `nightly:latest` or `commit:HASH` (7 to 40 digits)"
    )


def nightly_day(text: str) -> str | None:
    """The day (YYYY-MM-DD) of `nightly:DAY`, `latest` for the newest; None for what is no nightly."""
    match = _NIGHTLY.match(text)
    return match[1] if match else None


def commit_hash(text: str) -> str | None:
    """The hash of `commit:HASH` in lower case; None for what is no commit."""
    match = _COMMIT.match(text)
    return match[1].lower() if match else None


def is_published(text: str) -> bool:
    """True for what a package index answers or is exact: all but `nightly:` and `commit:`."""
    return nightly_day(text) is None and commit_hash(text) is None


def _check_day(text: str) -> None:
    day = nightly_day(text)
    try:
        date.fromisoformat(day if day and day != "latest" else "2000-01-01")
    except ValueError:
        raise ValueError(f"`{text}` names no day of the calendar") from None


def is_exact(text: str) -> bool:
    """True for a single PEP 440 version without an operator."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def spelled(text: str) -> str:
    """The one spelling of a version, so that `1.0`, `v1.0.0` and `1.0.0.0` are one revision: three numbers or more.

    That is how the engines name their releases; what a package index says is spelled alike.
    """
    version = Version(text)
    epoch, mark, rest = str(version).rpartition("!")
    release = list(version.release)
    while len(release) > _NUMBERS and release[-1] == 0:
        release.pop()
    release += [0] * (_NUMBERS - len(release))
    suffix = rest[len(".".join(map(str, version.release))) :]
    return epoch + mark + ".".join(map(str, release)) + suffix


def needs_index(specs: Iterable[str]) -> bool:
    """True when any of `specs` can only be answered by a package index."""
    return any(not is_exact(text) for text in specs)


def resolve(specs: Iterable[str], available: Callable[[], list[str]]) -> list[str]:
    """Versions meant by `specs`, oldest first, each once. `available` is asked only when a range or `latest` is there.

    Raises ValueError naming the spec that matches nothing.
    """
    found: dict[Version, str] = {}
    for text in specs:
        chosen = [text] if is_exact(text) else _from_index(text, available())
        if not chosen:
            raise ValueError(f"`{text}` matches none of the versions the index has")
        found.update({Version(v): spelled(v) for v in chosen})
    return [found[v] for v in sorted(found)]


def _from_index(text: str, available: list[str]) -> list[str]:
    latest = _LATEST.match(text)
    if latest:
        finals = [v for v in available if not Version(v).is_prerelease]
        return sorted(finals, key=Version)[-int(latest.group(1) or 1) :]
    return list(SpecifierSet(text).filter(available))
