"""What SGLang settled on: the `server_args=ServerArgs(...)` line of its log, and its settings page where it gave one.

The page may hold keys and passwords; only the fields named here leave it.
"""

import json
import re
from typing import Any

_ARGS = re.compile(r"server_args=ServerArgs\((?P<args>.+)\)")
_FIELD = re.compile(r"(?:^|, )(?P<name>[a-z_0-9]+)=(?P<value>'[^']*'|\"[^\"]*\"|[^,\s]+)")
_ADJUSTED = re.compile(r"speculative_num_draft_tokens is adjusted to speculative_num_steps \+ 1")
_NAMES = {
    "method": "speculative_algorithm",
    "k": "speculative_num_steps",
    "topk": "speculative_eagle_topk",
    "draft_tokens": "speculative_num_draft_tokens",
    "attention_backend": "attention_backend",
    "sampling_backend": "sampling_backend",
    "dtype": "dtype",
    "kv_cache_dtype": "kv_cache_dtype",
    "quantization": "quantization",
    "max_model_len": "context_length",
    "page_size": "page_size",
    "max_running_requests": "max_running_requests",
    "mem_fraction_static": "mem_fraction_static",
    "tensor_parallel_size": "tp_size",
    "data_parallel_size": "dp_size",
    "pipeline_parallel_size": "pp_size",
    "disable_radix_cache": "disable_radix_cache",
    "disable_overlap_schedule": "disable_overlap_schedule",
    "disable_cuda_graph": "disable_cuda_graph",
    "version": "version",
}


def resolved(log: str, info: str = "") -> dict[str, Any]:
    """Settings by our names. The page outranks the log line, which newer releases write before all is settled."""
    said = _logged(log) | _told(info)
    found = {ours: said[theirs] for ours, theirs in _NAMES.items() if theirs in said}
    if _ADJUSTED.search(log) and found.get("topk") == 1 and isinstance(found.get("k"), int):
        found["draft_tokens"] = found["k"] + 1
    if "method" in found:
        found["method"] = str(found["method"] or "none").lower()
    return found


def _logged(log: str) -> dict[str, Any]:
    match = _ARGS.search(log)
    return {m["name"]: _value(m["value"]) for m in _FIELD.finditer(match["args"])} if match else {}


def _value(text: str) -> Any:
    if text[:1] in "'\"":
        return text[1:-1]
    constants = {"None": None, "True": True, "False": False}
    if text in constants:
        return constants[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _told(info: str) -> dict[str, Any]:
    """The page's own fields; the newest releases keep the settled ones in `internal_states`, one for each rank."""
    try:
        body = json.loads(info or "{}")
    except ValueError:
        return {}
    if not isinstance(body, dict):
        return {}
    states = body.get("internal_states")
    inner = states[0] if isinstance(states, list) and states and isinstance(states[0], dict) else {}
    merged = body | inner
    return {
        name: merged[name]
        for name in _NAMES.values()
        if isinstance(merged.get(name), str | int | float | None) and name in merged
    }
