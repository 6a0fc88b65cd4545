"""The environment a server starts with: little of the parent's, so that one machine's shell cannot decide a result."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from matrix.core.recipe import LaunchPlan
from matrix.executors.processes import OWNER, RUN
from matrix.executors.venv_record import Record

# What finds programs, libraries, devices, certificates and models. What tunes speed (thread counts, preloaded
# allocators) is left out on purpose: that belongs in a cell's launch options, where it is part of the result.
_KEPT = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM XDG_CACHE_HOME LD_LIBRARY_PATH CC CXX
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
    CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES
    """.split()  # noqa: SIM905
)
_KEPT_PREFIXES = ("LC_", "HF_", "NVIDIA_", "NCCL_")
_NEVER = frozenset({"HF_TOKEN", "HF_TOKEN_PATH"})
"""Weights lie on the disk before a server starts, so it needs no login to the hub; the cell may give it one."""


def server_environ(
    parent: Mapping[str, str], plan: LaunchPlan, env: Path, caches: Path, record: Record
) -> dict[str, str]:
    """Variables for the server of one run.

    `caches` takes what engines compile. The marks name the run and its owner in every descendant; SPT_NOENV keeps them
    readable in engines that rewrite their process title, which would otherwise overwrite the environment block.
    """
    kept = {k: v for k, v in parent.items() if k not in _NEVER and (k.upper() in _KEPT or k.startswith(_KEPT_PREFIXES))}
    kept["PATH"] = os.pathsep.join([str(env / "bin"), kept.get("PATH", os.defpath)])
    ours = {
        "VIRTUAL_ENV": str(env),
        "PYTHONUNBUFFERED": "1",
        "SPT_NOENV": "1",
        "TMPDIR": record.scratch,
        "VLLM_CACHE_ROOT": str(caches / "vllm"),
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
        "TRITON_CACHE_DIR": str(caches / "triton"),
    }
    wanted = {k: v for k, v in kept.items() if k not in plan.unset} | ours | dict(plan.env)
    return wanted | visible(plan) | {RUN: record.run_id, OWNER: record.owner}


def visible(plan: LaunchPlan) -> dict[str, str]:
    """Variables that show the server its leased GPUs alone, by number: older engines refuse unique names."""
    if not plan.devices:
        return {}
    return {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": ",".join(str(device.index) for device in plan.devices),
    }


def cell_caches(root: Path, series: str) -> Path:
    """The folder for what engines compile for one series of one environment: nothing leaks from cell to cell.

    vLLM's notes on model classes hold for the whole environment and cost an import of the engine each (8 s measured),
    so all series share them.
    """
    shared = root / "modelinfos"
    shared.mkdir(parents=True, exist_ok=True)
    link = root / series / "vllm" / "modelinfos"
    link.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        link.symlink_to(shared)
    return root / series
