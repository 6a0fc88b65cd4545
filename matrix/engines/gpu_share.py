"""How much of each GPU's memory a server will ask for when it starts."""

from collections.abc import Sequence

from matrix.core.cell import Cell

_FLAGS = {"vllm": "--gpu-memory-utilization", "sglang": "--mem-fraction-static"}
_USUAL = {"vllm": 0.9}
"""vLLM's own default, and the least that any release uses; it ends at the start where less is free. SGLang settles its
share by the model and the GPU."""
_FIXED = "--kv-cache-memory"
"""With a size of its own for the cache vLLM takes no share."""


def gpu_share(cell: Cell, args: Sequence[str]) -> float | None:
    """The share of each GPU (0 to 1) that a server started with `args` wants free; None where it is not known."""
    engine = cell.revision.engine
    name = _FLAGS.get(engine, "")
    words = [word.replace("_", "-") if word.startswith("--") else word for word in args]
    told = [_value(words, at) for at, word in enumerate(words) if word.partition("=")[0] == name]
    if not told:
        return None if any(word.startswith(_FIXED) for word in words) else _USUAL.get(engine)
    try:
        return min(max(float(told[-1]), 0.0), 1.0)
    except ValueError:
        return None


def _value(words: Sequence[str], at: int) -> str:
    _, sign, value = words[at].partition("=")
    return value if sign else words[at + 1] if at + 1 < len(words) else ""
