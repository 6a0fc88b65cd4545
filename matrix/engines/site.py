"""The recipe of an engine that is installed already: a folder of site-packages, used as it is."""

from matrix.core.cell import Cell
from matrix.core.recipe import Recipe

SITE = "site"


def site_recipe(cell: Cell) -> Recipe:
    """Serve the cell's version from its folder; nothing is installed."""
    revision = cell.revision
    return Recipe(SITE, (f"{revision.engine}=={revision.version}",), site=cell.site, python=cell.python)
