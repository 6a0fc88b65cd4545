"""The cell: one point of the matrix, and the keys that name it."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.revision import Revision
from matrix.core.secret import is_secret, marked
from matrix.core.spec import BASELINE, SpecConfig
from matrix.core.workload import Workload

ASIDE = "aside-"
"""How the series keys of cells with pins begin: trials of a bisection, which nobody follows from release to release."""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """Engine flags and environment outside the spec config; `flags` are passed through as the user wrote them.

    Of variables that are secret `env` holds a mark (`matrix.core.secret`), whatever it was made with; the values are
    filled in where a server is started, from the config or the environment there (`matrix.app.secrets`).
    """

    flags: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    max_model_len: int | None = None
    dtype: str | None = None
    gpus: int = 0

    def __post_init__(self) -> None:
        hidden = tuple((name, marked(value) if is_secret(name, value) else value) for name, value in self.env)
        object.__setattr__(self, "env", hidden)

    @property
    def label(self) -> str:
        parts = list(self.flags) + [f"{k}={v}" for k, v in self.env]
        parts += [f"max_model_len={self.max_model_len}"] if self.max_model_len else []
        parts += [f"dtype={self.dtype}"] if self.dtype else []
        parts += [f"gpus={self.gpus}"] if self.gpus else []
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Cell:
    """revision x target x spec config x launch options x workload x hardware class x executor, and the boot ordinal.

    `site` is the folder of an engine that is installed already (`install` is "site"), `python` the interpreter for it,
    or the one that an environment is made from. `clone` is the engine's repository, where a commit's files come from.
    None is part of the keys: where an installation lies does not change what it measures. `cherry_pick` are commits
    (whole hashes) whose changes are carried over onto the revision; with any it is another series.

    `pins` are all packages of the environment, one `name==version` a line as in a lock; without any the installer
    chooses. A cell with pins belongs to no series that is followed (`ASIDE`).
    """

    revision: Revision
    target: Model
    spec: SpecConfig
    launch: LaunchOptions
    workload: Workload
    hardware: Hardware
    executor: str
    install: str
    boot: int = 0
    site: str = ""
    python: str = ""
    clone: str = ""
    cherry_pick: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.revision} / {self.target.name} / {self.spec.name}"

    @property
    def baseline(self) -> "Cell":
        """The no-draft cell of the same revision, target, launch options, workload, hardware and executor.

        It is not followed over time: without a draft there is nothing to follow.
        """
        return replace(self, spec=BASELINE, boot=0, workload=replace(self.workload, uptime_min=0))

    def shares_server(self, other: "Cell") -> bool:
        """True when one server serves both cells: they differ in their workload at most.

        A server whose age is measured is shared with nobody.
        """
        aged = self.workload.uptime_min or other.workload.uptime_min
        return not aged and replace(other, workload=self.workload) == self

    @property
    def series_key(self) -> str:
        """Names the series: all of the cell but its revision and boot. Changed weights start another series."""
        key = digest(_identity(self, revision=False))[:16]
        return ASIDE + key[len(ASIDE) :] if self.pins else key

    def content_key(self, recipe_text: str, probe_version: str) -> str:
        """Hash of all that decides the result, known before anything is built (64 hex digits)."""
        body = _identity(self, revision=True) | {"recipe": recipe_text, "probe": probe_version, "boot": self.boot}
        return digest(body)


def _identity(cell: Cell, *, revision: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "engine": cell.revision.engine,
        "install": cell.install,
        "target": _model(cell.target),
        "spec": asdict(cell.spec) | {"draft": _model(cell.spec.draft), "name": None},
        "launch": asdict(cell.launch),
        "workload": cell.workload.content,
        "hardware": cell.hardware.label,
        "executor": cell.executor,
    }
    body |= {"cherry_pick": list(cell.cherry_pick)} if cell.cherry_pick else {}
    body |= {"pins": list(cell.pins)} if cell.pins else {}
    return body | ({"version": cell.revision.version} if revision else {})


def _model(model: Model | None) -> list[str] | None:
    """A model is its content; where no content is known, its source. The folder it lies in does not matter."""
    return None if model is None else [model.name, model.content or model.source]


def digest(body: Any) -> str:
    """SHA-256 (hex) of the canonical JSON of `body`: sorted keys, no spaces."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
