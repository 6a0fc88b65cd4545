"""What is asked of GPUs before a server starts: their driver, whose processes they run, and the share of memory it takes."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.planned import share_of
from matrix.app.preflight import check_driver
from matrix.core.errors import InfraError
from matrix.core.revision import Revision
from matrix.engines.gpu_share import gpu_share
from matrix.executors import owner
from matrix.sources.hardware import Gpu, Gpus
from tests.app.build import cell
from tests.app.test_gpus import on_gpus

H200 = Gpu("NVIDIA H200", "GPU-a", 140.4)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (Gpus((H200,), "595.58", "13.2"), ""),
        (Gpus((H200,), None, None), ""),
        (Gpus(), "the plan saw NVIDIA H200 with driver 595.58, and now no NVIDIA GPU answers"),
        (Gpus((H200,), "590.48", "13.1"), "the driver was 595.58 when this cell was planned and is 590.48 now"),
        (Gpus((H200,), "470.1", "11.4"), "470.1 now: vllm 1.0.0 is built for CUDA"),
    ],
)
def test_the_driver_is_held_against_the_plan_and_the_build(found: Gpus, why: str) -> None:
    if not why:
        check_driver(on_gpus(1), found)
        return
    with pytest.raises(InfraError) as refused:
        check_driver(on_gpus(1), found)
    assert why in refused.value.cause and refused.value.hint


def test_a_cell_for_the_cpu_asks_no_driver(tmp_path: Path) -> None:
    check_driver(cell("eagle"), Gpus())


def test_processes_of_ours_are_told_from_others() -> None:
    ours = subprocess.Popen(["sleep", "600"], env={"SPECMATRIX_OWNER": owner.me()})
    other = subprocess.Popen(["sleep", "600"], env={"SPECMATRIX_OWNER": "here:1:2"})
    try:
        assert owner.owns(os.getpid()) and owner.owns(ours.pid)
        assert not owner.owns(other.pid) and not owner.owns(2**30)
    finally:
        for process in (ours, other):
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    ("engine", "args", "share"),
    [
        ("vllm", (), 0.9),
        ("vllm", ("--gpu-memory-utilization", "0.5"), 0.5),
        ("vllm", ("--gpu_memory_utilization=0.5", "--gpu-memory-utilization", "0.8"), 0.8),
        ("vllm", ("--gpu-memory-utilization", "much"), None),
        ("vllm", ("--gpu-memory-utilization",), None),
        ("vllm", ("--kv-cache-memory-bytes", "1000"), None),
        ("sglang", (), None),
        ("sglang", ("--mem-fraction-static=0.7",), 0.7),
        ("sglang", ("--gpu-memory-utilization", "0.5"), None),
    ],
)
def test_the_share_of_memory_that_a_server_takes(engine: str, args: tuple[str, ...], share: float | None) -> None:
    assert gpu_share(replace(cell("eagle"), revision=Revision(engine, "1.0.0")), args) == share


def test_the_share_is_that_of_the_cell_s_own_flags() -> None:
    plain = on_gpus(1)
    assert share_of(plain) == 0.9
    assert share_of(replace(plain, launch=replace(plain.launch, flags=("--gpu-memory-utilization", "0.4")))) == 0.4
