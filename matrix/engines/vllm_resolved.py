"""What vLLM settled on, from its log: the configuration line of either engine, attention backend, model runner."""

import re
from typing import Any

_CONFIG = re.compile(r"Initializing a (?P<engine>V[01]) LLM engine \(v(?P<version>[^)]+)\) with config: (?P<config>.+)")
_FIELDS = {
    "dtype": r"dtype=(?:torch\.)?(\w+)",
    "max_model_len": r"max_seq_len=(\d+)",
    "tensor_parallel_size": r"tensor_parallel_size=(\d+)",
    "pipeline_parallel_size": r"pipeline_parallel_size=(\d+)",
    "data_parallel_size": r"data_parallel_size=(\d+)",
    "enforce_eager": r"enforce_eager=(\w+)",
    "prefix_caching": r"enable_prefix_caching=(\w+)",
    "quantization": r"quantization=([\w-]+)",
    "device": r"device_config=(\w+)",
    "seed": r"seed=(\d+)",
}
_SPEC = re.compile(
    r"SpeculativeConfig\(method='(?P<method>[^']+)', model=(?P<model>[^,]+), num_spec_tokens=(?P<k>\d+)\)"
)
_BACKEND = (
    re.compile(r"Using (?P<name>\S.{0,40}?) backend on V1 engine"),
    re.compile(r"Using (?:AttentionBackendEnum\.)?(?P<name>\w+) attention backend out of potential backends"),
    re.compile(
        r"Using (?:AttentionBackendEnum\.|_Backend\.)?(?P<name>[A-Z][A-Z0-9_]+|Flash Attention|FlashInfer|FlashMLA"
        r"|Torch SDPA|Triton MLA|XFormers) backend\.(?:\s|$)"
    ),
)
"""Spellings of V1 to 0.11.0, from 0.11.1, and of V0 or a backend that was asked for. The target's own stands first."""
_ASYNC = re.compile(r"Asynchronous scheduling is (?P<state>enabled|disabled)")
_RUNNER = re.compile(r"using the (?P<kept>V\d) model runner instead|Using (?P<used>V\d) Model Runner")


def resolved(log: str) -> dict[str, Any]:
    """Settings by our names (`method`, `k`, `engine`, `attention_backend`, `model_runner`, ...); only what is told."""
    found = _configured(log)
    for pattern in _BACKEND:
        if backend := pattern.search(log):
            found["attention_backend"] = backend["name"]
            break
    if runner := _RUNNER.search(log):
        found["model_runner"] = runner["kept"] or runner["used"]
    if scheduling := _ASYNC.search(log):
        found["async_scheduling"] = scheduling["state"] == "enabled"
    return found


def _configured(log: str) -> dict[str, Any]:
    line = _CONFIG.search(log)
    if line is None:
        return {}
    found: dict[str, Any] = {"version": line["version"], "engine": line["engine"]}
    for name, pattern in _FIELDS.items():
        if match := re.search(pattern, line["config"]):
            found[name] = match[1]
    spec = _SPEC.search(line["config"])
    return found | ({"method": spec["method"], "k": int(spec["k"])} if spec else {"method": "none", "k": None})
