"""Workloads that a target cannot be asked, whatever serves it."""

from matrix.core.cell import Cell
from matrix.core.workload import IMAGE


def misfit(cell: Cell) -> str | None:
    """Why the cell's workload does not fit its target, None when it does or when that is not known."""
    if cell.workload.kind == IMAGE and cell.target.images is False:
        return (
            f"{cell.target.name} takes text only: its config.json names no image encoder (vision_config), and every "
            f"prompt of {cell.workload.name} shows an image"
        )
    return None
