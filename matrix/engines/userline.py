"""The launch line that a user copies: the cell's own flags, without those that a probe alone needs."""

import shlex

from matrix.core.cell import Cell
from matrix.core.recipe import Placement
from matrix.core.secret import is_marked
from matrix.engines.recipes import GPU_BUILDS, IMAGE
from matrix.engines.registry import adapter_for
from matrix.engines.site import SITE

_SERVE = ("vllm", "serve")
"""The command that vLLM's own package brings, and its images; other builds are started by their module."""
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

    A secret variable is named, not told: its value is the user's shell's.
    Raises ConfigError for flags that a run must set itself.
    """
    draft = _name(cell.spec.draft) if cell.spec.draft else None
    place = Placement(_name(cell.target), draft, "127.0.0.1", 8000, "served")
    plan = adapter_for(cell.revision.engine).launch(cell, place)
    args = _without_ours(plan.args)
    start: tuple[str, ...] = ("python", "-m", plan.module)
    if cell.revision.engine == "vllm" and cell.install in GPU_BUILDS and args[:1] == ["--model"]:
        args, start = args[1:], _SERVE
    env = [
        f'{name}="${name}"' if is_marked(value) else f"{name}={shlex.quote(value)}" for name, value in cell.launch.env
    ]
    return " ".join([*env, shlex.join([*start, *args])])


def install_lines(cell: Cell, digest: str | None = None) -> list[str]:
    """The shell lines that install what the cell's recipe names, the image by its `digest` where that is known.

    Empty for an engine that lies in a folder already, and for an image whose name is not known.
    """
    if cell.install == SITE:
        return []
    recipe = adapter_for(cell.revision.engine).recipe(cell)
    if cell.install == IMAGE:
        name = f"{recipe.image.partition(':')[0]}@{digest}" if digest else recipe.image
        return [shlex.join(["docker", "pull", name])] if recipe.image else []
    words = ["pip", "install", *(["--pre"] if recipe.prerelease else []), *recipe.requirements]
    lines = [shlex.join([*words, *(w for url in recipe.indexes for w in ("--extra-index-url", url))])]
    return lines + ([shlex.join(["pip", "uninstall", "-y", *recipe.remove])] if recipe.remove else [])


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
