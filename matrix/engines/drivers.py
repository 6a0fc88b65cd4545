"""What a driver runs."""

from packaging.version import InvalidVersion, Version

from matrix.core.hardware import Hardware
from matrix.engines.fitness_rows import DRIVERS
from matrix.engines.quirks import what


def served_cuda(hardware: Hardware) -> str:
    """The newest CUDA version that the driver serves, as it says itself or by its own version; empty: unknown."""
    if hardware.cuda:
        return hardware.cuda
    try:
        return what(DRIVERS, "driver", hardware.driver) if hardware.driver else ""
    except InvalidVersion:
        return ""


def runs(cuda: str, served: str) -> bool:
    """True when a driver that serves CUDA `served` at most runs a build for `cuda`, or when either is unknown.

    It runs every build of its own CUDA major version and of older ones (CUDA's minor version compatibility).
    """
    return not cuda or not served or Version(cuda).major <= Version(served).major


def oldest_driver(cuda: str) -> str:
    """The first driver that runs a build for `cuda`."""
    return next(row.since or "" for row in reversed(DRIVERS) if runs(cuda, row.what))
