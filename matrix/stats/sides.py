"""The two sides of a flip, and what else was measured beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from matrix.core.state import State

_NAMES = {"vllm": "vLLM", "sglang": "SGLang"}


@dataclass(frozen=True, slots=True)
class Life:
    """Accept length in the first and the last tenth of `minutes` of serving; `drift`: they differ beyond noise."""

    minutes: float
    first: float | None
    last: float | None
    drift: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One run as far as it may explain a flip. None, or empty, is what was not recorded, never "the same".

    `k` is as asked, `resolved` what the engine settled on; `lock` holds the version of each package (lower-case name);
    `launch` and `hardware` are labels. Speeds are output tokens per second with the draft and of the baseline.
    """

    run_id: str
    engine: str
    revision: str
    target: str
    draft: str | None = None
    method: str = ""
    spec: str = ""
    workload: str = ""
    target_content: str | None = None
    draft_content: str | None = None
    workload_content: str = ""
    k: int | None = None
    launch: str = ""
    hardware: str = ""
    executor: str = ""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    lock: Mapping[str, str] = field(default_factory=dict)
    artifact: str | None = None
    probe_version: str = ""
    signature: str = ""
    accept_length: float | None = None
    tok_s: float | None = None
    baseline_tok_s: float | None = None
    life: Life | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another series at one revision, seen through the metric of the flip; `fell` when it flipped for the worse there.

    `output` is the state of its output, which is what a baseline is judged by.
    """

    series_key: str
    engine: str
    revision: str
    target: str
    draft: str | None
    method: str
    spec: str
    workload: str
    launch: str
    state: State
    fell: bool = False
    accept_length: float | None = None
    output: State = State.UNKNOWN


def engine_name(engine: str) -> str:
    """The engine's name as its project writes it."""
    return _NAMES.get(engine, engine)
