"""One installable point of an engine."""

from dataclasses import dataclass
from enum import StrEnum


class RevisionKind(StrEnum):
    RELEASE = "release"
    NIGHTLY = "nightly"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class Revision:
    """Engine name and version as its index spells it (`vllm` `0.32.0`)."""

    engine: str
    version: str
    kind: RevisionKind = RevisionKind.RELEASE

    def __str__(self) -> str:
        return f"{self.engine} {self.version}"
