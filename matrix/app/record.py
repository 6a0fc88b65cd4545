"""What is known of a run while it lasts: phases, artifact, samples; and the result it becomes."""

import mmap
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from matrix import __version__
from matrix.app.secret_env import Secrets
from matrix.core.cell import Cell
from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.ports import Progress
from matrix.core.recipe import Artifact, Recipe
from matrix.core.result import POOLED, Failure, RunResult, Sample, Uptime
from matrix.probes import PROBE_VERSION

_END = 4 * 2**20
_GAP = re.compile(rb"\n\[\d+ of \d+ bytes are cut out here\]\n")


@dataclass(slots=True)
class Record:
    """Mutable notes of one run; `result` freezes them.

    `served` is True once one generation had finished, `sound` once the server had answered to the end. `sure` is how
    many tokens each verify step yields whatever the draft (`matrix.core.recipe.OwnNames`), `logged` what the engine's
    own log counted during the probe.
    """

    run_id: str
    cell: Cell
    recipe: Recipe
    progress: Progress
    log: Path
    secrets: Secrets = field(default_factory=Secrets)
    started_at: float = field(default_factory=time.time)
    phases: dict[str, float] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    artifact: Artifact | None = None
    served: bool = False
    sound: bool = False
    command: tuple[str, ...] = ()
    resolved: dict[str, Any] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    sure: int = 1
    logged: Counters = field(default_factory=Counters)
    flags: list[str] = field(default_factory=list)
    uptime: Uptime | None = None
    log_cut: bytes = b""

    @contextmanager
    def phase(self, name: str, detail: str = "") -> Iterator[None]:
        """Tells progress, and adds the time spent inside to the phase, also when it ends by an exception."""
        self.progress.phase(self.cell, name, detail)
        start = time.monotonic()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.monotonic() - start

    @property
    def prompts(self) -> int:
        """Samples so far that stand for one prompt each."""
        return sum(1 for sample in self.samples if sample.prompt_id != POOLED)

    def log_size(self) -> int:
        """Bytes that the server has logged so far; notes what was cut out of them, for `log_text`."""
        try:
            with self.log.open("rb") as file:
                self.log_cut = _cut(file)
                return file.seek(0, os.SEEK_END)
        except FileNotFoundError:
            return 0

    def log_text(self, start: int = 0) -> str:
        """The server's log, undecodable bytes replaced, secrets hidden; of more than 8 MiB the first and the last four.

        From byte `start` on, where `log_size` was once called for it: nothing when the log was cut meanwhile.
        """
        try:
            with self.log.open("rb") as file:
                if start and _cut(file) != self.log_cut:
                    return ""
                return self.secrets.hidden(_ends(file, start).decode("utf-8", "replace"))
        except FileNotFoundError:
            return ""

    def result(self, outcome: Outcome, reason: str, failure: Failure | None = None) -> RunResult:
        """The run as it will be stored."""
        return RunResult(
            run_id=self.run_id,
            cell=self.cell,
            content_key=self.cell.content_key(self.recipe.text, PROBE_VERSION),
            recipe_text=self.recipe.text,
            probe_version=PROBE_VERSION,
            outcome=outcome,
            reason=reason,
            started_at=self.started_at,
            finished_at=time.time(),
            samples=tuple(self.samples),
            failure=failure,
            artifact=self.artifact,
            phases=tuple(self.phases.items()),
            resolved=self.resolved,
            command=self.command,
            log_path=str(self.log) if self.log.exists() else None,
            noise=self.noise,
            flags=tuple(map(str, self.flags)),
            uptime=self.uptime,
            tool_version=__version__,
        )


def _cut(file: BinaryIO) -> bytes:
    """The line that tells what was cut out while the log was written: another one after each cut, empty before."""
    if not os.fstat(file.fileno()).st_size:
        return b""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        found = _GAP.search(whole)
        return found[0] if found else b""


def _ends(file: BinaryIO, start: int) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(start)
    if size - start <= 2 * _END:
        return file.read()
    head = file.read(_END)
    file.seek(size - _END)
    return b"%b\n[%d of %d bytes are cut out here]\n%b" % (head, size - start - 2 * _END, size, file.read())
