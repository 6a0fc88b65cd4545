"""The environment a server starts with: little of the parent's, so that one machine's shell cannot decide a result."""

import os
from collections.abc import Mapping
from pathlib import Path

from matrix.core.recipe import LaunchPlan
from matrix.executors.processes import OWNER, RUN

# What finds programs, libraries, devices, certificates and models. What tunes speed (thread counts, preloaded
# allocators) is left out on purpose: that belongs in a cell's launch options, where it is part of the result.
_KEPT = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR XDG_CACHE_HOME LD_LIBRARY_PATH CC CXX
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
    CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES
    """.split()  # noqa: SIM905
)
_KEPT_PREFIXES = ("LC_", "HF_", "NVIDIA_", "NCCL_")


def server_environ(
    parent: Mapping[str, str], plan: LaunchPlan, env: Path, caches: Path, run_id: str, owner: str
) -> dict[str, str]:
    """Variables for the server of one run.

    `caches` takes the compile caches. The marks name the run and its owner in every descendant; SPT_NOENV keeps them
    readable in engines that rewrite their process title, which would otherwise overwrite the environment block.
    """
    kept = {k: v for k, v in parent.items() if k.upper() in _KEPT or k.startswith(_KEPT_PREFIXES)}
    kept["PATH"] = os.pathsep.join([str(env / "bin"), kept.get("PATH", os.defpath)])
    ours = {"VIRTUAL_ENV": str(env), "PYTHONUNBUFFERED": "1", "SPT_NOENV": "1", **_caches(caches)}
    merged = {**kept, **ours, **dict(plan.env)}
    wanted = {k: v for k, v in merged.items() if k not in plan.unset}
    return wanted | {RUN: run_id, OWNER: owner}


def _caches(root: Path) -> dict[str, str]:
    return {
        "VLLM_CACHE_ROOT": str(root / "vllm"),
        "TORCHINDUCTOR_CACHE_DIR": str(root / "inductor"),
        "TRITON_CACHE_DIR": str(root / "triton"),
    }
