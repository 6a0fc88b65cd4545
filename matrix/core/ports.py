"""The seams between the pure core and the world: what `run_cell` needs, whoever provides it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from matrix.core.cell import Cell
from matrix.core.failure import Failure
from matrix.core.failure import ServerExit as ServerExit  # noqa: PLC0414 - part of these seams
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact, CounterMap, LaunchPlan, Placement, Recipe


class Server(Protocol):
    """A started engine. Leaving the context stops it and removes whatever it was, also on an exception or Ctrl-C."""

    url: str
    command: tuple[str, ...]

    def poll(self) -> ServerExit | None:
        """None while it runs, else how it ended."""

    def stop(self) -> ServerExit | None:
        """Stop it and everything it started; safe to call twice. Returns how it ended if that is known."""


class Executor(Protocol):
    """Builds artifacts and starts servers. Raises BuildError, EnvironmentMismatchError or InfraError."""

    name: str

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        """Make or reuse the artifact; the builder's output goes to `log`, short status lines to `note`."""

    def built(self, recipe: Recipe) -> bool:
        """True when `build` would reuse what is there."""

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> Server:
        """Start a server whose output is appended to `log`; returns at once, before it is ready."""

    def reap(self) -> list[str]:
        """Stop and remove what killed processes left behind; returns one line for each thing removed."""


class Adapter(Protocol):
    """What is known about one engine: pure functions from a cell to data."""

    engine: str

    def recipe(self, cell: Cell) -> Recipe: ...

    def launch(self, cell: Cell, place: Placement) -> LaunchPlan: ...

    def counters(self, cell: Cell) -> CounterMap: ...

    def unsupported(self, cell: Cell) -> str | None:
        """Why this release cannot run this cell, or None."""

    def resolved(self, log: str, info: str = "") -> dict[str, Any]:
        """What the engine says it settled on (k, method, backend), read from its log and its settings page `info`."""

    def classify(self, log: str, *, served: bool, exit_: ServerExit | None, cell: Cell | None = None) -> Failure:
        """Name the cause of a failed run; `served` is True once one generation had finished.

        With the `cell` what its release is known to lack is told apart from what broke.
        """


class Progress(Protocol):
    """Told of every phase; used for the terminal, the job row and the tests."""

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None: ...

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None: ...
