"""SGLang: recipe, launch plan and counters of a cell, 0.4.6.post5 to 0.5.23 and newer ones by the newest rules."""

from typing import Any

from matrix.core.cell import Cell
from matrix.core.ports import ServerExit
from matrix.core.recipe import CounterMap, LaunchPlan, OwnNames, Placement, Recipe
from matrix.core.result import Failure
from matrix.core.spec import Method
from matrix.engines.classify import classify
from matrix.engines.quirks import what
from matrix.engines.recipes import pinned
from matrix.engines.sglang_flags import algorithm, arguments, gpus_of, unsupported
from matrix.engines.sglang_quirks import COUNTERS, PAGES, UNSET
from matrix.engines.sglang_recipe import sglang_recipe, sglang_unfit
from matrix.engines.sglang_resolved import resolved
from matrix.engines.sglang_targets import judged_by_target


class SglangAdapter:
    """`matrix.core.ports.Adapter` for SGLang."""

    engine = "sglang"

    def recipe(self, cell: Cell) -> Recipe:
        """How the cell's revision is installed (`sglang_recipe`)."""
        return pinned(sglang_recipe(cell), cell)

    def launch(self, cell: Cell, place: Placement) -> LaunchPlan:
        """The server's command: radix cache off, a log line and a metric for each decode step, fixed seed.

        Raises ConfigError for a flag of the user's that a run must set itself.
        """
        return LaunchPlan(
            module="sglang.launch_server",
            args=tuple(arguments(cell, place)),
            env=_env(cell),
            unset=tuple(dict.fromkeys(row.what for row in UNSET)),
            gpus=gpus_of(cell),
        )

    def counters(self, cell: Cell) -> CounterMap:
        """What the response's `meta_info` holds in this release; the two metrics only show requests of others."""
        version = cell.revision.version
        return CounterMap(
            steps="" if cell.spec.is_baseline else what(COUNTERS, "verify-metric", version),
            proposed="",
            accepted="",
            per_position="",
            decode_steps="",
            completion_tokens="sglang:generation_tokens_total",
            per_request=not cell.spec.is_baseline,
            dialect="sglang",
            own=None if cell.spec.is_baseline else _own_names(cell),
            info=what(PAGES, "info", version),
            chat_images=what(PAGES, "images", version) == "chat",
        )

    def unsupported(self, cell: Cell) -> str | None:
        """Why this release cannot run this cell here, known before anything is built."""
        return unsupported(cell) or sglang_unfit(cell)

    def resolved(self, log: str, info: str = "") -> dict[str, Any]:
        """What the engine settled on; empty where neither its log nor its settings page tells."""
        return resolved(log, info)

    def classify(self, log: str, *, served: bool, exit_: ServerExit | None, cell: Cell | None = None) -> Failure:
        """The cause of a failed run, read from its log; what this release can draft for decides on missing hooks."""
        return judged_by_target(classify(log, served=served, exit_=exit_), cell)


def _own_names(cell: Cell) -> OwnNames:
    """The names of this release. N-gram lookup's own mean reads 0 up to 0.5.5.post3, so it is not compared."""
    names = {
        topic: what(COUNTERS, topic, cell.revision.version) for topic in ("steps", "proposed", "accepted", "histogram")
    }
    reported = "" if cell.spec.method is Method.NGRAM else what(COUNTERS, "reported", cell.revision.version)
    sure = 2 if algorithm(cell) == "UNO" else 1
    return OwnNames(**names, reported=reported, sure=sure, positions=cell.spec.k or 0)


def _env(cell: Cell) -> tuple[tuple[str, str], ...]:
    """Without the override a draft of a shorter context than the target's is refused from 0.5.1 on."""
    env = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN": "1"}
    return tuple(sorted((env | dict(cell.launch.env)).items()))
