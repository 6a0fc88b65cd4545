"""Progress a person can follow: one live line on a terminal, plain lines elsewhere."""

import threading
import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from matrix.cli.plain import plain
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome, Tier
from matrix.plan.estimate import pace, planned

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

    The remaining time is what the plan expects of the cells left, at the pace of the finished ones, less what the
    present one took so far. `each` are the expected seconds of the cells; without them all weigh alike.
    """

    def __init__(
        self, total: int, estimate_s: float, console: Console | None = None, each: Sequence[float] = ()
    ) -> None:
        self._console = console or Console(stderr=True)
        self._total = total
        self._each = list(each) or _alike(total, estimate_s)
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._done, self._done_s = 0, 0.0
        self._cell: Cell | None = None
        self._phase, self._detail, self._note = "", "", ""
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
        if (fresh or (detail and phase in ("build", "fetch"))) and not self._console.is_terminal:
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
            self._total, self._each = total, _alike(total, estimate_s)
            self._done_s = self.elapsed_s()

    def grow(self, cells: int) -> None:
        """So many cells more than were expected."""
        with self._lock:
            self._total += cells

    def say(self, text: str) -> None:
        """One line that stays."""
        self._console.print(Text(plain(text)), soft_wrap=True)

    def note(self, text: str) -> None:
        """How things stand: on a terminal below the live line until the next one, elsewhere a line that stays."""
        if not text:
            return
        if self._console.is_terminal:
            with self._lock:
                self._note = plain(text)
        else:
            self._console.print(Text(f"  {plain(text)}"), soft_wrap=True)

    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def remaining_s(self) -> float:
        """Seconds left, by the cells done so far."""
        costs = planned(self._each, self._total)
        factor = pace(self._done_s, sum(costs[: self._done])) if self._done else 1.0
        present, *later = costs[self._done :] or [0.0]
        used = self.elapsed_s() - self._done_s
        return max(factor * present - used, 0) + factor * sum(later)

    def _line(self, text: str) -> None:
        elapsed = clock(self.elapsed_s())
        self._console.print(Text(f"[{elapsed}, about {clock(self.remaining_s())} left] {text}"), soft_wrap=True)

    def _render(self) -> Group:
        with self._lock:
            note = self._note
        return Group(self._row(), *([Text(note, "dim")] if note else []))

    def _row(self) -> Table:
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


def _alike(total: int, estimate_s: float) -> list[float]:
    return [estimate_s / total] * total if total else []


def _name(cell: Cell) -> str:
    return f"{cell.label} / {cell.workload.name}"
