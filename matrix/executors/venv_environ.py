"""The environment a server starts with: little of the parent's, so that one machine's shell cannot decide a result."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from matrix.core.cell import Cell
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
MODEL_NOTES = "modelinfos"
COMPILED = {
    "VLLM_CACHE_ROOT": "vllm",
    "SGLANG_CACHE_DIR": "sglang",
    "SGLANG_JIT_CACHE_DIR": "sglang/jit",
    "SGLANG_DG_CACHE_DIR": "deep_gemm",
    "SGL_DG_CACHE_DIR": "deep_gemm",
    "DG_JIT_CACHE_DIR": "deep_gemm",
    "TRTLLM_DG_CACHE_DIR": "trtllm_deep_gemm",
    "FLASHINFER_WORKSPACE_BASE": "flashinfer",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
    "TORCH_EXTENSIONS_DIR": "torch_extensions",
    "TRITON_CACHE_DIR": "triton",
    "TILELANG_CACHE_DIR": "tilelang",
    "TVM_FFI_CACHE_DIR": "tvm_ffi",
    "CUDA_CACHE_PATH": "cuda",
    "XDG_CACHE_HOME": "other",
}
"""Where engines and their libraries keep what they compile: variable, and folder in the caches of the cell."""

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
    }
    kept.setdefault("HF_HOME", str(_cache_home(kept) / "huggingface"))
    ours |= {name: str(caches / folder) for name, folder in COMPILED.items()}
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


def _cache_home(environ: Mapping[str, str]) -> Path:
    """The user's own cache folder, where the model hub looks unless it is told otherwise."""
    return Path(environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME") or Path.home()) / ".cache")


def cell_caches(root: Path, cell: Cell) -> Path:
    """The folder for what engines compile for one series and boot in one environment: nothing leaks from cell to cell.

    Boots have their own, since kernels that one boot has tuned would make the next more like it than it is. vLLM's
    notes on model classes hold for the whole environment and cost an import of the engine each (8 s measured), so all
    of its cells share them. The folder's time of change is the last use.
    """
    own = root / f"{cell.series_key}-{cell.boot}"
    shared = root / MODEL_NOTES
    shared.mkdir(parents=True, exist_ok=True)
    link = own / "vllm" / MODEL_NOTES
    link.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        link.symlink_to(shared)
    os.utime(own)
    return own
