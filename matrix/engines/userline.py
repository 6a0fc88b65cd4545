"""The launch line that a user copies: the cell's own flags, without those that a probe alone needs."""

import shlex

from matrix.core.cell import Cell
from matrix.core.recipe import Placement
from matrix.engines.registry import adapter_for

_LAUNCH = {"sglang": ("python", "-m", "sglang.launch_server"), "vllm": ("vllm", "serve")}
_OURS = {
    "--served-model-name": 1,
    "--host": 1,
    "--port": 1,
    "--random-seed": 1,
    "--seed": 1,
    "--disable-radix-cache": 0,
    "--decode-log-interval": 1,
    "--enable-metrics": 0,
    "--no-enable-prefix-caching": 0,
    "--generation-config": 1,
    "--per-request-spec-decode-metrics": 1,
}
"""Flags of a probe's server, with how many values each takes."""


def user_line(cell: Cell) -> str:
    """The shell line that serves the cell's target with its draft under the names that the user gave them.

    Raises ConfigError for flags that a run must set itself.
    """
    draft = _name(cell.spec.draft) if cell.spec.draft else None
    place = Placement(_name(cell.target), draft, "127.0.0.1", 8000, "served")
    args = _without_ours(adapter_for(cell.revision.engine).launch(cell, place).args)
    if cell.revision.engine == "vllm" and args[:1] == ["--model"]:
        args = args[1:]
    env = [f"{name}={shlex.quote(value)}" for name, value in cell.launch.env]
    return " ".join([*env, shlex.join([*_LAUNCH[cell.revision.engine], *args])])


def _name(model: object) -> str:
    return str(getattr(model, "source", "") or getattr(model, "name", ""))


def _without_ours(args: tuple[str, ...]) -> list[str]:
    kept: list[str] = []
    skip = 0
    for word in args:
        if skip:
            skip -= 1
        elif word in _OURS:
            skip = _OURS[word]
        else:
            kept.append(word)
    return kept
