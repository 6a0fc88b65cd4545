"""Refuses flags that no server can be started with, before anything is built."""

from collections.abc import Iterable

from matrix.app.source import Source
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, Where
from matrix.core.recipe import Placement
from matrix.engines.registry import adapter_for

_ANYWHERE = Placement("/target", "/draft", "127.0.0.1", 1, "name")


def check_flags(source: Source, cells: Iterable[Cell]) -> None:
    """Raises ConfigError, naming file, line and key, for a flag that every run sets itself."""
    for cell in {(c.revision.engine, c.launch): c for c in cells}.values():
        try:
            adapter_for(cell.revision.engine).launch(cell, _ANYWHERE)
        except ConfigError as error:
            error.where = _where(source, cell)
            raise


def _where(source: Source, cell: Cell) -> Where:
    """The key of the first table that the cell can be from."""
    for name, table in source.config.engines.items():
        if (table.engine or name) == cell.revision.engine and tuple(table.flags) == cell.launch.flags:
            return source.where("engines", name, "flags")
    return source.where("engines")
