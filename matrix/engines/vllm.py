"""vLLM: recipe, launch plan and counters of a cell, 0.8.5 to 0.33.0 and newer ones by the newest rules."""

from typing import Any

from matrix.core.cell import Cell
from matrix.core.ports import ServerExit
from matrix.core.recipe import CounterMap, LaunchPlan, Placement, Recipe
from matrix.core.result import Failure
from matrix.engines.classify import classify
from matrix.engines.quirks import find, first, what
from matrix.engines.recipes import VLLM_CPU, pinned
from matrix.engines.vllm_flags import arguments, engine, environment, gpus_of, has_per_request, impossible
from matrix.engines.vllm_quirks import COUNTERS, LIMITS, UNSET
from matrix.engines.vllm_recipe import vllm_recipe, vllm_unfit
from matrix.engines.vllm_resolved import resolved


class VllmAdapter:
    """`matrix.core.ports.Adapter` for vLLM."""

    engine = "vllm"

    def recipe(self, cell: Cell) -> Recipe:
        """How the cell's revision is installed (`vllm_recipe`)."""
        return pinned(vllm_recipe(cell), cell)

    def launch(self, cell: Cell, place: Placement) -> LaunchPlan:
        """The server's command: caches off, sampling defaults of the engine and not of the model's file, fixed seed.

        Raises ConfigError for a flag of the user's that a run must set itself.
        """
        return LaunchPlan(
            module="vllm.entrypoints.openai.api_server",
            args=tuple(arguments(cell, place)),
            env=environment(cell),
            unset=tuple(dict.fromkeys(row.what for row in UNSET)),
            gpus=gpus_of(cell),
        )

    def counters(self, cell: Cell) -> CounterMap:
        """The V1 engine's names on the wire, and whether answers carry their own.

        The V0 engine's counters cannot be used: the record of its log takes their place (`matrix.engines.vllm_v0`).
        """
        version = cell.revision.version
        if engine(cell) == "V0" and not cell.spec.is_baseline:
            tokens = what(COUNTERS, "tokens", version)
            return CounterMap("", "", "", "", "", tokens, log=what(COUNTERS, "v0-log", version))
        return CounterMap(
            steps=what(COUNTERS, "steps", version),
            proposed=what(COUNTERS, "proposed", version),
            accepted=what(COUNTERS, "accepted", version),
            per_position=what(COUNTERS, "per-position", version),
            decode_steps=what(COUNTERS, "decode-steps", version),
            completion_tokens=what(COUNTERS, "tokens", version),
            per_request=has_per_request(cell),
        )

    def unsupported(self, cell: Cell) -> str | None:
        """Why this release cannot run this cell here, known before anything is built."""
        return impossible(cell) or _without_speculation(cell) or vllm_unfit(cell)

    def resolved(self, log: str, info: str = "") -> dict[str, Any]:
        """What the engine said it settled on; empty where the log does not tell."""
        return resolved(log)

    def classify(self, log: str, *, served: bool, exit_: ServerExit | None, cell: Cell | None = None) -> Failure:
        """The cause of a failed run, read from its log."""
        return classify(log, served=served, exit_=exit_)


def _without_speculation(cell: Cell) -> str | None:
    version = cell.revision.version
    if cell.spec.is_baseline or cell.install != VLLM_CPU or find(LIMITS, "cpu-speculation", version):
        return None
    return f"vllm-cpu speculates from {first(LIMITS, 'cpu-speculation')} on; {version} has it on GPUs only"
