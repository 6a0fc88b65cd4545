"""What a bisection is asked: which cell, between which bounds, which question, and how sure the answer must be."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Regress(StrEnum):
    """What counts as bad at a point. `fixed` looks for the repair: the older end is the bad one."""

    ACCEPT = "accept"
    WORKS = "works"
    SLOWER = "slower"
    WRONG_OUTPUT = "wrong-output"
    HANG = "hang"
    FIXED = "fixed"

    @property
    def needs_baseline(self) -> bool:
        """True when a run says nothing without the no-draft run beside it."""
        return self in (Regress.SLOWER, Regress.WRONG_OUTPUT)


class Level(StrEnum):
    """How fine the points are; each finer level looks into the range that the one before it found."""

    RELEASE = "release"
    NIGHTLY = "nightly"
    COMMIT = "commit"


PACKAGE = "package"
"""The level of a bisection over the packages around one revision."""

VERSION = "version"
"""The level of one that looks further: into the releases of the package that was named."""


@dataclass(frozen=True, slots=True)
class Request:
    """`good` is None where it is to be found by walking back. `level` is the finest level to go to, None for as fine as
    the config allows. The names choose one cell of the config; None leaves a choice that must be the only one.

    With a `command` there is no config: it is run `samples` times at a point, and its exit status is the answer.

    `packages` is the one revision whose packages are searched: then `good` and `bad` are runs, or files of locks, and
    `package` is the one whose releases are searched between its two versions.
    """

    config: str
    engine: str
    bad: str
    regress: Regress
    target: str
    good: str | None = None
    draft: str | None = None
    method: str | None = None
    spec: str | None = None
    workload: str | None = None
    level: Level | None = None
    clone: str = ""
    executor: str = "auto"
    confidence: float = 0.95
    parallel: int = 1
    verify: int = 1
    most_runs: int = 200
    tolerate: bool = False
    cherry_pick: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    samples: int = 1
    ahead: bool = True
    packages: str = ""
    package: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values, for a row; `from_json` gives the same request back."""
        body = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}
        # Rows of bisections that were begun before there were packages to search are found by the same words.
        return {key: v for key, v in body.items() if v or key not in ("packages", "package")}

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> "Request":
        level = body.get("level")
        return cls(
            **body
            | {
                "regress": Regress(body["regress"]),
                "level": Level(level) if level else None,
                "cherry_pick": tuple(body.get("cherry_pick", ())),
                "command": tuple(body.get("command", ())),
            }
        )
