"""What a service tells of its work: one line an event, with the time, on standard error."""

import time

import click

from matrix.cli.plain import plain
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome


def say(text: str) -> None:
    """One line with the time (UTC)."""
    click.echo(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {plain(text)}", err=True)


class WorkLog:
    """`matrix.core.ports.Progress` for services. Details of a phase are on the dashboard, not here."""

    def __init__(self) -> None:
        self._told: tuple[str, str] = ("", "")

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        now = (cell.label, phase)
        if now != self._told:
            self._told = now
            say(f"{cell.label}: {phase}")

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        say(f"{cell.label}: {outcome.value}{f': {reason}' if reason else ''}")
