"""Which GPUs of this host we may use, and which of them somebody uses already."""

import csv
import shutil
import subprocess
from collections.abc import Mapping

from matrix.core.recipe import Device
from matrix.sources.hardware import Gpus

BUSY_GIB = 2.0
"""Memory in use from which a GPU is taken: an idle one shows well under 1 GiB, which the driver itself holds."""

_USED = "uuid,memory.used"
_PROCESSES = "gpu_uuid,pid,process_name"
_FORM = "--format=csv,noheader,nounits"


def devices(found: Gpus, visible: str | None) -> tuple[Device, ...]:
    """The devices of this host that `visible` (the value of CUDA_VISIBLE_DEVICES) leaves; all where it is None."""
    every = tuple(Device(index, gpu.uuid) for index, gpu in enumerate(found.devices))
    if visible is None:
        return every
    named = [word.strip() for word in visible.split(",") if word.strip()]
    return tuple(d for d in every if any(_names(word, d) for word in named))


def in_use() -> dict[str, str]:
    """Unique name of each GPU that is taken, with what is known of by whom; empty where nothing can be asked."""
    return parse_use(_ask(f"--query-gpu={_USED}"), _ask(f"--query-compute-apps={_PROCESSES}"))


def parse_use(memory: str, processes: str) -> dict[str, str]:
    """The same from the two answers of `nvidia-smi` (memory in MiB)."""
    who = _processes(processes)
    found = {}
    for row in csv.reader(memory.splitlines(), skipinitialspace=True):
        if len(row) == 2 and row[1].isdecimal() and int(row[1]) / 1024 >= BUSY_GIB:
            holders = ", ".join(who.get(row[0], ())) or "processes that cannot be seen from here"
            found[row[0]] = f"{int(row[1]) / 1024:.1f} GiB in use by {holders}"
    return found


def _processes(text: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in csv.reader(text.splitlines(), skipinitialspace=True):
        if len(row) == 3 and row[1].isdecimal():
            found.setdefault(row[0], []).append(f"{row[2].rpartition('/')[2]} (pid {row[1]})")
    return found


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
