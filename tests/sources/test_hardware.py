"""What a host computes with, from texts as the real tools print them."""

import os
import platform
from pathlib import Path

import pytest

from matrix.sources import hardware, nvml
from matrix.sources.hardware import Gpu, Gpus, cpu_name, detect, free_bytes, parse_smi, usable_cores
from tests.fakes.nvml import Card, Nvml

ROWS = """NVIDIA H200, GPU-5a1c2b3d-0000-1111-2222-333344445555, 143771, 570.124.06
NVIDIA H200, GPU-6a1c2b3d-0000-1111-2222-333344445555, 143771, 570.124.06
"""
TABLE = "| NVIDIA-SMI 570.124.06             Driver Version: 570.124.06     CUDA Version: 12.8     |"
TABLE_580 = "| NVIDIA-SMI 595.58.03              KMD Version: 595.58.03     CUDA UMD Version: 13.2     |"


def test_nvidia_smi_s_answer() -> None:
    found = parse_smi(ROWS, TABLE)
    assert found.devices[0] == Gpu("NVIDIA H200", "GPU-5a1c2b3d-0000-1111-2222-333344445555", 140.4)
    assert (len(found.devices), found.driver, found.cuda) == (2, "570.124.06", "12.8")
    assert parse_smi(ROWS, TABLE_580).cuda == "13.2"
    assert parse_smi("No devices were found\n", "") == Gpus()


def test_the_weakest_device_decides_what_kernels_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "A, GPU-1, 1024, 570.1, 10.0\nB, GPU-2, 1024, 570.1, 9.0\nC, GPU-3, 1024, 570.1, [N/A]\n"
    monkeypatch.setattr(hardware, "gpus", lambda: parse_smi(rows, TABLE))
    assert detect().capability == "9.0"
    monkeypatch.setattr(hardware, "gpus", lambda: parse_smi(ROWS, TABLE))
    assert detect().capability is None
    assert detect().python == platform.python_version()


def test_an_old_nvidia_smi_is_asked_without_what_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"#!/bin/sh\ncase \"$1\" in *compute_cap*) exit 2;; --query*) printf '{ROWS}';; *) echo '{TABLE}';; esac\n"
    (tmp_path / "nvidia-smi").write_text(script.replace("\n|", "|"))
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert hardware._by_smi() == parse_smi(ROWS, TABLE)


def test_class_of_a_host_with_gpus_and_of_one_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "gpus", lambda: parse_smi(ROWS, TABLE))
    assert detect().label == "gpu NVIDIA H200 x2, driver 570.124.06, cuda 12.8"
    monkeypatch.setattr(hardware, "gpus", lambda: Gpus(driver="570.124.06"))
    assert detect().gpu is None
    assert detect().label == f"cpu {cpu_name()} x{usable_cores()}"


def test_nvidia_smi_on_the_path_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"#!/bin/sh\ncase \"$1\" in --query*) printf '{ROWS}';; *) echo '{TABLE}';; esac\n".replace("\n|", "|")
    (tmp_path / "nvidia-smi").write_text(script)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert hardware._by_smi() == parse_smi(ROWS, TABLE)
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n")
    assert hardware._by_smi() == Gpus()


def test_the_library_is_asked_before_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Nvml([Card("GPU-a"), Card("GPU-b", total=80.04, name="NVIDIA H100")], "595.58.03", 13020)
    monkeypatch.setattr(nvml, "library", lambda: fake)
    devices = (Gpu("NVIDIA H200", "GPU-a", 140.0, "9.0"), Gpu("NVIDIA H100", "GPU-b", 80.0, "9.0"))
    assert hardware.gpus() == Gpus(devices, "595.58.03", "13.2")
    assert fake.open == 0
    fake.broken = True
    monkeypatch.setattr(hardware, "_by_smi", lambda: parse_smi(ROWS, TABLE))
    assert hardware.gpus() == parse_smi(ROWS, TABLE)


def test_cores_follow_affinity_and_quota(tmp_path: Path) -> None:
    everywhere = len(os.sched_getaffinity(0))
    assert usable_cores(tmp_path) == everywhere
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert usable_cores(tmp_path) == everywhere
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert usable_cores(tmp_path) == 1
    (tmp_path / "cpu.max").unlink()
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/cpu.cfs_quota_us").write_text("-1\n")
    (tmp_path / "cpu/cpu.cfs_period_us").write_text("100000\n")
    assert usable_cores(tmp_path) == everywhere
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usable_cores(tmp_path) == 1
    finally:
        os.sched_setaffinity(0, before)


def test_cpu_name_is_the_maker_s(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: AMD EPYC  9654   96-Core\nmodel name : other\n")
    assert cpu_name(tmp_path / "cpuinfo") == "AMD EPYC 9654 96-Core"
    (tmp_path / "cpuinfo").write_text("processor\t: 0\n")
    assert cpu_name(tmp_path / "cpuinfo")


def test_free_space_of_a_folder_that_is_still_to_come(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "a" / "b") > 0
