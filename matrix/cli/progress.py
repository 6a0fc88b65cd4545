"""Progress a person can follow: one live line on a terminal, plain lines elsewhere."""

import threading
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from matrix.cli.plain import plain
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome, Tier

_STYLE = {
    Tier.OK: "green",
    Tier.ENGINE: "red",
    Tier.AMBIGUOUS: "yellow",
    Tier.ENVIRONMENT: "yellow",
    Tier.INFRA: "magenta",
}


def clock(seconds: float) -> str:
    """`75` as `1:15`, hours only when there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Follower:
    """`matrix.core.ports.Progress` for people. Use as a context manager.

    The remaining time is the mean of the finished cells times those left, less what the present one took so far; before
    the first one has finished it is the plan's estimate.
    """

    def __init__(self, total: int, estimate_s: float, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._total = total
        self._estimate_s = estimate_s
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._done, self._done_s = 0, 0.0
        self._cell: Cell | None = None
        self._phase, self._detail = "", ""
        self._phase_start = self._start
        self._live = Live(get_renderable=self._render, console=self._console, refresh_per_second=4, transient=True)

    def __enter__(self) -> "Follower":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        with self._lock:
            fresh = (cell, phase) != (self._cell, self._phase)
            if fresh:
                self._phase_start = time.monotonic()
            self._cell, self._phase, self._detail = cell, phase, detail
        if (fresh or (detail and phase == "build")) and not self._console.is_terminal:
            said = f" ({plain(detail)})" if detail else ""
            self._line(f"{self._done + 1}/{self._total} {_name(cell)}: {phase}{said}")

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        with self._lock:
            self._done, self._done_s = self._done + 1, self.elapsed_s()
            self._cell = None
        style = _STYLE[outcome.tier]
        text = Text.assemble((f"{outcome:>16}", style), "  ", (_name(cell), "bold"), f"  {plain(reason)}")
        self._console.print(text, soft_wrap=True)

    def expect(self, total: int, estimate_s: float) -> None:
        """How many cells there will be, and how many seconds they will take, where that is known only now."""
        with self._lock:
            self._total, self._estimate_s = total, estimate_s + self.elapsed_s()

    def grow(self, cells: int) -> None:
        """So many cells more than were expected."""
        with self._lock:
            self._total += cells

    def say(self, text: str) -> None:
        """One line that stays."""
        self._console.print(Text(plain(text)), soft_wrap=True)

    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def remaining_s(self) -> float:
        """Seconds left, by the cells done so far."""
        if not self._done:
            return max(self._estimate_s - self.elapsed_s(), 0)
        mean = self._done_s / self._done
        present = self.elapsed_s() - self._done_s
        return max(mean - present, 0) + mean * max(self._total - self._done - 1, 0)

    def _line(self, text: str) -> None:
        elapsed = clock(self.elapsed_s())
        self._console.print(Text(f"[{elapsed}, about {clock(self.remaining_s())} left] {text}"), soft_wrap=True)

    def _render(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        with self._lock:
            cell, phase, detail = self._cell, self._phase, self._detail
            since, done = time.monotonic() - self._phase_start, self._done
        if cell is None:
            return grid
        elapsed = clock(self.elapsed_s())
        grid.add_row(
            Text(f"{done + 1}/{self._total}", "bold"),
            Text(_name(cell)),
            Text(f"{phase} {clock(since)}{f'  {plain(detail)}' if detail else ''}", "cyan"),
            Text(f"elapsed {elapsed}, about {clock(self.remaining_s())} left", "dim"),
        )
        return grid


def _name(cell: Cell) -> str:
    return f"{cell.label} / {cell.workload.name}"
