"""Words of engines and of people are shown as they are, whatever they look like to the table library or the terminal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from rich.table import Table

from matrix.cli import results
from matrix.cli.tables import add_row
from tests.web import build

HOSTILE = "no [/foo], [redacted] and [red]red[/red] \x1b[31m here [link=x]"
SHOWN = "no [/foo], [redacted] and [red]red[/red] [31m here [link=x]"


def test_cells_are_plain_text() -> None:
    out = io.StringIO()
    table = Table("text")
    add_row(table, HOSTILE)
    Console(file=out, width=200, force_terminal=True).print(table)
    assert SHOWN in out.getvalue()
    assert "\x1b[31m here" not in out.getvalue() and "\x1b]8" not in out.getvalue()


def test_results_show_a_hostile_reason(capsys: pytest.CaptureFixture[str]) -> None:
    results._table([replace(build.row(), reason=HOSTILE)], {})
    assert "[/foo], [redacted]" in " ".join(capsys.readouterr().out.split())
