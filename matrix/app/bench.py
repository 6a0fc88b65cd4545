"""What the run of one cell is handed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from matrix.app.boot import Boot
from matrix.app.gpus import Loan, Note, no_loan
from matrix.app.secret_env import Secrets
from matrix.core.cell import Cell
from matrix.core.ports import Adapter, Executor, Progress
from matrix.core.result import Sample

Baseline = tuple[str, tuple[Sample, ...], dict[str, float]]
"""Run id, samples (with alternatives) and noise of the baseline run that a draft run is set against."""


Lend = Callable[[int, str, Note, float | None], Loan]
"""Given how many GPUs a server needs, what for, whom to tell while it waits, and the share of their memory it takes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a start and a single request may take."""

    start_s: float = 600
    request_s: float = 300


class Quiet:
    """Progress that nobody looks at."""

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        """Nothing to tell."""

    def done(self, cell: Cell, outcome: object, reason: str) -> None:
        """Nothing to tell."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Adapter, executor, where logs go while a run lasts, and how the cell's baseline is looked up.

    `boot` may hold the server of the cell before; with `keep` a server that is sound is left in it for the next one.
    `ready` raises InfraError where the host cannot serve the cell now. `lend` finds the GPUs that a server needs,
    `secrets` fill the marks among its variables.
    """

    adapter: Adapter
    executor: Executor
    scratch: Path
    limits: Limits = field(default_factory=Limits)
    progress: Progress = field(default_factory=Quiet)
    baseline: Callable[[Cell], Baseline | None] = lambda cell: None
    boot: Boot = field(default_factory=Boot)
    keep: bool = False
    ready: Callable[[Cell], None] = lambda cell: None
    lend: Lend = no_loan
    secrets: Secrets = field(default_factory=Secrets)
