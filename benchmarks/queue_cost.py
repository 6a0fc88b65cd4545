"""What scheduling costs: planning, queueing, claiming and ending jobs, from 1,000 cells to 100,000."""

import math
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar, cast

from matrix.app.planned import gpu_count
from matrix.app.planning import plan_cells
from matrix.app.source import Source
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.counters import Counters
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.ports import Executor
from matrix.core.result import RunResult, Sample
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.store import Store, open_store

T = TypeVar("T")
SIZES = (1_000, 10_000, 100_000)
FILE = '[engines.vllm]\nversions = ["0.32.0"]\n[targets.t]\npath = "t"\n'
WORKLOAD = Workload("short", (Prompt("p1", "code", "def f("), Prompt("p2", "prose", "Once")), 32)
HARDWARE = Hardware("simulated", 8, "H200", 8, "580.1", "13.0", "9.0")
HEAD = Model("head", "/models/head", "./head", "b" * 64)
EXECUTOR = cast(Executor, SimpleNamespace(name="venv", built=lambda recipe: True))


def main(most: int = SIZES[-1]) -> None:
    """Print seconds a thousand cells for each step, and how they grow."""
    print(f"{'cells':>8} {'plan':>8} {'queue':>8} {'claim':>8} {'end':>8}   ms a cell; whole / (n log n) against 1,000")
    first = None
    for size in (size for size in SIZES if size <= most):
        spent = cost(size)
        whole = sum(spent) / (size * math.log2(size))
        first = first or whole
        each = " ".join(f"{1000 * s / size:8.3f}" for s in spent)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{size:8} {each}   {whole / first:.2f}, peak {peak} MiB", flush=True)


def cost(size: int) -> tuple[float, float, float, float]:
    """Seconds for planning, queueing, claiming and ending `size` cells in a fresh database."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "matrix.toml"
        file.write_text(FILE)
        store = open_store(f"sqlite:///{folder}/matrix.db")
        try:
            return _cost(store, Source(file), size)
        finally:
            store.close()


def _cost(store: Store, source: Source, size: int) -> tuple[float, float, float, float]:
    made = list(cells(size))
    planning, plan = timed(lambda: plan_cells(source, EXECUTOR, store, made))
    sweep = store.sweeps.create({}, source.text, owner="me", tool_version="0")
    rows = [(p.content_key, p.cell) for p in plan.todo]
    queueing, _ = timed(lambda: store.queue.enqueue(sweep, rows, gpus=gpu_count))
    claiming = ending = 0.0
    while True:
        took, job = timed(lambda: store.queue.claim("me", sweep))
        claiming += took
        if job is None:
            return planning, queueing, claiming, ending
        result = measured(job.cell, job.content_key, f"r{job.job_id}")
        ending += timed(lambda job=job, result=result: store.queue.finish(job.job_id, "me", result))[0]  # type: ignore[misc]


def cells(size: int) -> Iterator[Cell]:
    """`size` different cells: revisions by targets by spec configs."""
    cell = Cell(
        Revision("vllm", "0.32.0"),
        Model("t", "/models/t", "./t", "a" * 64),
        BASELINE,
        LaunchOptions(gpus=1),
        WORKLOAD,
        HARDWARE,
        "venv",
        "pip",
    )
    specs = [BASELINE, *(SpecConfig(f"e{k}", Method.EAGLE3, HEAD, k=k) for k in range(1, 10))]
    for number in range(size):
        rest, spec = divmod(number, len(specs))
        release, target = divmod(rest, 20)
        revision = Revision("vllm", f"0.{release // 50}.{release % 50}")
        model = replace(cell.target, name=f"t{target}", content=f"{target:064d}")
        yield replace(cell, revision=revision, target=model, spec=specs[spec])


def measured(cell: Cell, key: str, run_id: str) -> RunResult:
    """A run that went well."""
    samples = [
        Sample(p.id, p.kind, 0, 1, Counters(40, 120, 60, completion_tokens=101), 1.0, "text", "c" * 64)
        for p in WORKLOAD.prompts
    ]
    now = time.time()
    return RunResult(run_id, cell, key, "recipe", "1", Outcome.OK, "", now - 60, now, samples=tuple(samples))


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """Seconds and the result."""
    begun = time.perf_counter()
    result = act()
    return time.perf_counter() - begun, result
