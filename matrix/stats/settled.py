"""What two runs' engines settled on, set against each other."""

import re
from typing import Any

from matrix.stats.sides import Side

# Settings that change what is accepted or how fast, the most telling first. Others are named, and blamed for nothing.
TELLING = (
    "k",
    "topk",
    "draft_tokens",
    "method",
    "model_runner",
    "engine",
    "disable_overlap_schedule",
    "async_scheduling",
    "attention_backend",
    "sampling_backend",
    "dtype",
    "kv_cache_dtype",
    "quantization",
)
_SPELLING = re.compile(r"[^a-z0-9.]")
_NOT_SETTINGS = frozenset({"version"})


def settings_differences(before: Side, after: Side) -> dict[str, str]:
    """Sentences by setting, those of `TELLING` first; what one side does not tell is no difference."""
    old, new = _settings(before), _settings(after)
    names = sorted((old.keys() & new.keys()) - _NOT_SETTINGS, key=_rank)
    changed = [name for name in names if _canonical(old[name]) != _canonical(new[name])]
    return {name: _changed(name, old[name], new[name]) for name in changed}


def _settings(side: Side) -> dict[str, Any]:
    """What the engine settled on; the k that was asked for stands in where it did not tell."""
    told = {name: value for name, value in side.resolved.items() if value is not None}
    return ({"k": side.k} if side.k is not None else {}) | told


def _canonical(value: Any) -> str:
    """Releases spell one value in several ways: `Flash Attention` and `FLASH_ATTN_VLLM_V1`, `torch.bfloat16` and
    `bfloat16`, `True` as a word and as a value.
    """
    plain = _SPELLING.sub("", str(value).lower().removeprefix("torch.").removesuffix("_vllm_v1"))
    return plain.removesuffix("attention").removesuffix("attn")


def _changed(name: str, old: Any, new: Any) -> str:
    number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new))
    word = ("fell" if new < old else "rose") if number else "changed"
    return f"{name} {word} from {old} to {new}"


def _rank(name: str) -> tuple[int, str]:
    return (TELLING.index(name) if name in TELLING else len(TELLING)), name
