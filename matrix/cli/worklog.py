"""What a service tells of its work: one line an event, with the time, on standard error.

With MATRIX_LOG=json each line is a JSON object: `at` (UTC), `event` (note, phase or done) and `text`; of a cell also
`cell`, `phase` or `outcome` and `reason`.
"""

import json
import os
import time

import click

from matrix.cli.plain import plain
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome


def say(text: str) -> None:
    """One line with the time (UTC)."""
    _tell("note", text)


_WHOLE = ("save", "lost")
"""Phases whose details matter here: there is trouble, and the dashboard may not be able to show it."""


class WorkLog:
    """`matrix.core.ports.Progress` for services. Details of other phases are on the dashboard, not here."""

    def __init__(self) -> None:
        self._told: tuple[str, str] = ("", "")

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        why = detail if phase in _WHOLE else ""
        now = (cell.label, f"{phase}: {why}" if why else phase)
        if now != self._told:
            self._told = now
            _tell("phase", ": ".join(now), cell=cell.label, phase=phase)

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        text = f"{cell.label}: {outcome.value}{f': {reason}' if reason else ''}"
        _tell("done", text, cell=cell.label, outcome=outcome.value, reason=reason)


def _tell(event: str, text: str, **about: str) -> None:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    if os.environ.get("MATRIX_LOG") == "json":
        row = {"at": at, "event": event, "text": text} | about
        click.echo(json.dumps({name: plain(value) for name, value in row.items()}, ensure_ascii=False), err=True)
    else:
        click.echo(f"{at} {plain(text)}", err=True)
