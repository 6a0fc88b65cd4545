"""Which GPUs of this host we may use, and what is used of each by whom."""

import csv
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil

from matrix.core.recipe import Device
from matrix.sources import nvml
from matrix.sources.hardware import Gpus

BUSY_GIB = 2.0
"""Memory in use from which a GPU is taken: an idle one shows well under 1 GiB, which the driver itself holds."""

_MEMORY = "uuid,memory.used,memory.total"
_PROCESSES = "gpu_uuid,pid,process_name,used_memory"
_FORM = "--format=csv,noheader,nounits"
_NAMELESS = "processes that cannot be seen from here"


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that computes on a GPU; `gib` is what it holds there, None where that is not told."""

    pid: int
    name: str
    gib: float | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """Memory in use and in all, GiB (None: not told), and the processes that can be seen from here."""

    used_gib: float
    total_gib: float | None = None
    holders: tuple[Holder, ...] = ()


def devices(found: Gpus, visible: str | None) -> tuple[Device, ...]:
    """The devices of this host that `visible` (the value of CUDA_VISIBLE_DEVICES) leaves; all where it is None."""
    every = tuple(Device(index, gpu.uuid) for index, gpu in enumerate(found.devices))
    if visible is None:
        return every
    named = [word.strip() for word in visible.split(",") if word.strip()]
    return tuple(d for d in every if any(_names(word, d) for word in named))


def uses() -> dict[str, Use]:
    """What is used of each GPU, by its unique name: by NVML, else by `nvidia-smi`; empty where neither answers."""
    try:
        return dict(_by_nvml())
    except Exception:  # noqa: BLE001  NVML's errors are a family of its own, known only where it is installed
        return parse_uses(_ask(f"--query-gpu={_MEMORY}"), _ask(f"--query-compute-apps={_PROCESSES}"))


def in_use() -> dict[str, str]:
    """Unique name of each GPU that is taken, with what is known of by whom; empty where nothing can be asked."""
    return {
        uuid: f"{use.used_gib:.1f} GiB in use by "
        + (", ".join(f"{h.name} (pid {h.pid})" for h in use.holders) or _NAMELESS)
        for uuid, use in uses().items()
        if use.used_gib >= BUSY_GIB
    }


def parse_uses(memory: str, processes: str) -> dict[str, Use]:
    """The same from the two answers of `nvidia-smi` (memory in MiB). Fields that it does not tell are left out."""
    who: dict[str, list[Holder]] = {}
    for row in _rows(processes):
        if len(row) >= 3 and row[1].isdecimal():
            who.setdefault(row[0], []).append(Holder(int(row[1]), _base(row[2]), _gib(row[3:])))
    return {
        row[0]: Use(used, _gib(row[2:]), tuple(who.get(row[0], ())))
        for row in _rows(memory)
        if len(row) >= 2 and (used := _gib(row[1:])) is not None
    }


def _by_nvml() -> Iterator[tuple[str, Use]]:
    with nvml.session() as (lib, handles):
        for handle in handles:
            memory = lib.nvmlDeviceGetMemoryInfo(handle)
            holders = tuple(_holders(lib, handle))
            yield nvml.text(lib.nvmlDeviceGetUUID(handle)), Use(memory.used / 2**30, memory.total / 2**30, holders)


def _holders(lib: Any, handle: Any) -> Iterator[Holder]:
    """None where the device does not tell (a part of a divided one)."""
    with suppress(lib.NVMLError):
        for process in lib.nvmlDeviceGetComputeRunningProcesses(handle):
            held = process.usedGpuMemory
            yield Holder(process.pid, _process_name(lib, process.pid), None if held is None else held / 2**30)


def _process_name(lib: Any, pid: int) -> str:
    with suppress(lib.NVMLError):
        return _base(nvml.text(lib.nvmlSystemGetProcessName(pid)))
    with suppress(psutil.Error):
        return psutil.Process(pid).name()
    return "of another namespace"


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _rows(text: str) -> Iterator[list[str]]:
    return csv.reader(text.splitlines(), skipinitialspace=True)


def _gib(fields: list[str]) -> float | None:
    return int(fields[0]) / 1024 if fields and fields[0].isdecimal() else None


def _names(word: str, device: Device) -> bool:
    return word == str(device.index) or (word.startswith("GPU-") and device.uuid.startswith(word))


def _ask(query: str) -> str:
    if shutil.which("nvidia-smi") is None:
        return ""
    try:
        done = subprocess.run(["nvidia-smi", query, _FORM], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
