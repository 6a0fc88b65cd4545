"""Whether GPUs are as a cell needs them, told before its server starts: a refusal is the machine's, never evidence."""

from collections.abc import Callable
from dataclasses import replace

from matrix.app.planned import gpu_count
from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.engines.registry import adapter_for
from matrix.sources.gpu_use import BUSY_GIB, Holder, Use
from matrix.sources.hardware import Gpus

FOREIGN_GIB = 0.5
"""From here on a process counts: a bare CUDA context holds about as much, a desktop's helper less."""

Ours = Callable[[int], bool]


def check_driver(cell: Cell, found: Gpus) -> None:
    """Raises InfraError when the driver of now cannot serve the cell, or is another than the one it was planned for."""
    planned = cell.hardware
    if planned.gpu is None or not planned.driver or not gpu_count(cell):
        return
    if not found.devices:
        cause = f"the plan saw {planned.gpu} with driver {planned.driver}, and now no NVIDIA GPU answers"
        raise InfraError(cause, hint="run `nvidia-smi`; after an update of the driver restart the machine")
    if found.driver in (None, planned.driver):
        return
    now = replace(cell, hardware=replace(planned, driver=found.driver, cuda=found.cuda))
    changed = f"the driver was {planned.driver} when this cell was planned and is {found.driver} now"
    if (why := adapter_for(cell.revision.engine).unsupported(now)) is not None:
        raise InfraError(f"{changed}: {why}", hint="then run the sweep again")
    raise InfraError(changed, hint="run the sweep again: its cells belong to another hardware class now")


def taken(use: Use, share: float | None, ours: Ours) -> str:
    """Why a GPU that nobody has leased cannot take a server that wants `share` of its memory; empty when it can."""
    foreign = [h for h in use.holders if not ours(h.pid) and (h.gib is None or h.gib >= FOREIGN_GIB)]
    if foreign:
        return f"holds {' and '.join(map(_held, foreign))}, not ours"
    if left := kept(use):
        return f"has {left}"
    total = use.total_gib
    if share and total and total - use.used_gib < share * total:
        free = f"has {total - use.used_gib:.1f} of {total:.1f} GiB free"
        return f"{free} and the server will ask for {share * total:.1f} ({share:g} of it)"
    return ""


def kept(use: Use) -> str:
    """What is still in use of a GPU whose server has stopped; empty when its memory is back."""
    if use.used_gib < BUSY_GIB:
        return ""
    whom = " and ".join(_named(h) for h in use.holders) or "processes that cannot be seen from here"
    return f"{use.used_gib:.1f} GiB in use by {whom}"


def _held(holder: Holder) -> str:
    size = "" if holder.gib is None else f"{holder.gib:.1f} GiB of "
    return size + _named(holder)


def _named(holder: Holder) -> str:
    return f"process {holder.pid} ({holder.name})"
