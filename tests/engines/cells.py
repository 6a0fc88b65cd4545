"""Cells of GPU builds, and machines to try them on."""

from dataclasses import replace
from typing import Any

from matrix.core.cell import Cell
from matrix.core.hardware import Hardware
from matrix.core.revision import Revision, kind_of
from matrix.plan.expand import expand
from tests.plan.build import config, inputs

SHA = "25268f0c9" + "1" * 31
H200 = Hardware("cpu", 64, "NVIDIA H200", 8, "590.48.01", "13.1", "9.0", "2.39", "3.12.3")
H100_CUDA_12 = replace(H200, gpu="NVIDIA H100", driver="550.90.07", cuda="12.4")
NO_GPU = Hardware("cpu", 4, glibc="2.36", python="3.11.2")


def gpu_cell(
    engine: str, version: str, install: str, hardware: Hardware = H200, *, commit: str = "", **more: Any
) -> Cell:
    """A baseline cell; pip is served by venv and an image by docker unless told otherwise."""
    base = expand(config(), inputs([version])).cells[0]
    more = {"executor": "docker" if install == "image" else "venv"} | more
    revision = Revision(engine, version, kind_of(version), commit)
    launch = replace(base.launch, gpus=more.pop("gpus", 1))
    return replace(base, revision=revision, install=install, hardware=hardware, launch=launch, **more)
