"""The server of one boot, handed from cell to cell while nothing but the workload differs."""

from dataclasses import dataclass
from pathlib import Path

from matrix.app.gpus import NO_LOAN, Loan
from matrix.core.cell import Cell
from matrix.core.ports import Server
from matrix.core.recipe import Artifact


@dataclass(slots=True)
class Standing:
    """A server that runs: the cell and the run that started it, what it was made from, where it logs, on which GPUs."""

    cell: Cell
    run_id: str
    server: Server
    artifact: Artifact
    log: Path
    loan: Loan = NO_LOAN

    def fits(self, cell: Cell) -> bool:
        """True when `cell` would start the same server and this one still runs."""
        return self.cell.shares_server(cell) and self.server.poll() is None


@dataclass(slots=True)
class Boot:
    """Holds at most one server. As a context it stops the server that is left, however the block is left."""

    standing: Standing | None = None

    def __enter__(self) -> "Boot":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def taken_over(self, cell: Cell) -> Standing | None:
        """The server for `cell` if it stands; one that stands for another cell is stopped."""
        if self.standing is not None and not self.standing.fits(cell):
            self.stop()
        return self.standing

    def halt(self) -> None:
        """End the server's process, from any thread; what it took is given back by `stop`."""
        if (standing := self.standing) is not None:
            standing.server.stop()

    def stop(self) -> str:
        """Stop the server, if one stands. Returns what it left in use of its GPUs, empty for nothing."""
        standing, self.standing = self.standing, None
        if standing is not None:
            try:
                standing.server.stop()
            finally:
                left = standing.loan.release()
            return left
        return ""
