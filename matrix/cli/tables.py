"""Tables for people. Cells are plain text: a `[/x]` or an escape in an engine's words is shown, not obeyed."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from matrix.cli.plain import plain

__all__ = ["add_row", "plain", "table_console"]


def add_row(table: Table, *cells: str) -> None:
    """One row of plain texts."""
    table.add_row(*(Text(plain(cell)) for cell in cells))


def table_console() -> Console:
    """A console for tables: the terminal's width, and wide enough for whole rows where the output goes elsewhere."""
    console = Console()
    return console if console.is_terminal else Console(width=240)
