"""What this host computes with."""

import csv
import math
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matrix.core.hardware import Hardware
from matrix.sources import nvml

QUERY = "name,uuid,memory.total,driver_version"


@dataclass(frozen=True, slots=True)
class Gpu:
    """One device; `memory_gib` is its total memory, `capability` its compute capability (`9.0`), None where unknown."""

    name: str
    uuid: str
    memory_gib: float
    capability: str | None = None


@dataclass(frozen=True, slots=True)
class Gpus:
    """All devices of the host with the driver's version and the newest CUDA version that it serves."""

    devices: tuple[Gpu, ...] = ()
    driver: str | None = None
    cuda: str | None = None


def detect() -> Hardware:
    """The hardware class of this host; `cores` are the logical ones that this process may use."""
    found = gpus()
    names = list(dict.fromkeys(gpu.name for gpu in found.devices))
    return Hardware(
        cpu=cpu_name(),
        cores=usable_cores(),
        gpu=" + ".join(names) or None,
        gpus=len(found.devices),
        driver=found.driver if names else None,
        cuda=found.cuda if names else None,
        capability=_lowest(gpu.capability for gpu in found.devices),
        glibc=glibc_version(),
        python=platform.python_version(),
    )


def glibc_version() -> str | None:
    """The version of the C library that this runs on, None where it is another than glibc."""
    name, version = platform.libc_ver()
    return version if name == "glibc" and version else None


def gpus() -> Gpus:
    """NVIDIA devices by NVML, by `nvidia-smi` where that fails, else none."""
    try:
        return _by_nvml()
    except Exception:  # noqa: BLE001  NVML's errors are a family of its own, known only where it is installed
        return _by_smi()


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name as its maker spells it, else its architecture."""
    try:
        match = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(errors="replace"), re.MULTILINE)
    except OSError:
        match = None
    return " ".join(match[1].split()) if match else platform.processor() or platform.machine() or "unknown"


def usable_cores(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """Logical cores left by CPU affinity and by the control group's quota (rounded up)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota(cgroup)
    return max(1, min(cores, math.ceil(quota))) if quota else cores


def free_bytes(folder: Path) -> int:
    """Free space for this user where a folder is, or will be."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(there).free


def parse_smi(rows: str, summary: str) -> Gpus:
    """Devices from `nvidia-smi --query-gpu` (QUERY, and `compute_cap`) and the CUDA version of its table."""
    devices, driver = [], None
    for row in csv.reader(rows.splitlines(), skipinitialspace=True):
        if len(row) in (4, 5) and row[1].startswith("GPU-"):
            memory = float(row[2]) / 1024 if row[2].replace(".", "").isdigit() else 0.0
            devices.append(Gpu(row[0], row[1], round(memory, 1), _capability(row[4:])))
            driver = row[3]
    cuda = re.search(r"CUDA (?:\w+ )?Version\s*:\s*([\d.]+)", summary)
    return Gpus(tuple(devices), driver, cuda[1] if cuda else None)


def _quota(cgroup: Path) -> float | None:
    """CPU quota in cores, from control groups v2 or v1; None without a limit."""
    for limit, period in (("cpu.max", None), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        try:
            words = (cgroup / limit).read_text().split()
            words += (cgroup / period).read_text().split() if period else []
            return int(words[0]) / int(words[1]) if int(words[0]) > 0 else None
        except (OSError, ValueError, IndexError):
            continue
    return None


def _by_nvml() -> Gpus:
    with nvml.session() as (lib, handles):
        devices = tuple(
            Gpu(
                nvml.text(lib.nvmlDeviceGetName(handle)),
                nvml.text(lib.nvmlDeviceGetUUID(handle)),
                round(lib.nvmlDeviceGetMemoryInfo(handle).total / 2**30, 1),
                "{}.{}".format(*lib.nvmlDeviceGetCudaComputeCapability(handle)),
            )
            for handle in handles
        )
        cuda = int(lib.nvmlSystemGetCudaDriverVersion_v2())
        return Gpus(devices, nvml.text(lib.nvmlSystemGetDriverVersion()), f"{cuda // 1000}.{cuda % 1000 // 10}")


def _by_smi() -> Gpus:
    """Old drivers do not know `compute_cap`, and then say nothing of the other fields either."""
    form = "--format=csv,noheader,nounits"
    rows = _smi(f"--query-gpu={QUERY},compute_cap", form) or _smi(f"--query-gpu={QUERY}", form)
    return parse_smi(rows, _smi())


def _capability(field: list[str]) -> str | None:
    return field[0] if field and re.fullmatch(r"\d+\.\d+", field[0]) else None


def _lowest(capabilities: Iterable[str | None]) -> str | None:
    known = [tuple(map(int, text.split("."))) for text in capabilities if text]
    return ".".join(map(str, min(known))) if known else None


def _smi(*args: str) -> str:
    try:
        done = subprocess.run(["nvidia-smi", *args], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
