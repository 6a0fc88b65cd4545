"""What differs between the releases of one engine: rows of data, each with its span of releases."""

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version


@dataclass(frozen=True, slots=True)
class Witness:
    """`text` occurs in a file of the wheel of `version` whose path ends in `file`; with `absent`, in none such."""

    version: str
    file: str
    text: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Quirk:
    """From release `since` to release `until` (both included; None is open) `topic` is `what`, for this `reason`.

    A row without `witnesses` is told as unverified: nothing in a release's own wheel was found to prove it.
    """

    topic: str
    since: str | None
    until: str | None
    what: str
    reason: str
    link: str
    witnesses: tuple[Witness, ...] = ()

    def holds(self, version: str) -> bool:
        """True when `version` lies in the span. Pre-releases and nightlies sort as PEP 440 says."""
        found = Version(version)
        return (self.since is None or found >= Version(self.since)) and (
            self.until is None or found <= Version(self.until)
        )


def find(rows: Sequence[Quirk], topic: str, version: str) -> Quirk | None:
    """The first row of `topic` that holds for `version`."""
    return next((row for row in rows if row.topic == topic and row.holds(version)), None)


def what(rows: Sequence[Quirk], topic: str, version: str) -> str:
    """What holds for `version`; empty where no row does."""
    row = find(rows, topic, version)
    return row.what if row else ""


def first(rows: Sequence[Quirk], topic: str) -> str | None:
    """The first release that has `topic`, None where no row names one."""
    spans = [row.since for row in rows if row.topic == topic and row.since]
    return min(spans, key=Version, default=None)
