"""Judging one new run in a large database, and judging all of it: `make bench ARGS=judge-one`, `judge-all`.

The databases are those of `benchmarks.bigstore`: 2,000 series, every fourth revision booted twice. A figure is the
median of runs that are each the first of a new revision; the other series have their comparisons on it already.
"""

import gc
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.bigrows import LEVELS, Line, Plan, plan
from benchmarks.bigruns import PROMPTS, samples_of
from benchmarks.bigstore import make
from matrix.app.judging import judge_all, judge_one, judge_some
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.core.result import RunResult, Sample
from matrix.core.revision import Revision
from matrix.store import Store, open_store

SIZES = (10_000, 50_000, 500_000, 1_000_000)
ALL_SIZES = (10_000, 50_000)
TIMES = 20
Took = tuple[float, float]


def main(runs: int | None = None) -> None:
    """Print how long it takes to judge one new run, at each size or among `runs`."""
    took: dict[int, Took] = {}
    for size in SIZES if runs is None else (runs,):
        with _database(size) as (file, made, store):
            took[size] = _new_runs(file, made, store)
    _ratios(took)


def judge_everything(runs: int | None = None) -> None:
    """Print how many runs a second `matrix judge` takes, at each size or for `runs`, and its greatest memory."""
    for size in ALL_SIZES if runs is None else (runs,):
        with _database(size) as (_, _, store):
            for which in ("the first time", "again"):
                begun, used = time.perf_counter(), time.process_time()
                series = judge_all(store)
                wall, processor = time.perf_counter() - begun, time.process_time() - used
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                told = f"{wall:.1f} s, {processor:.1f} s on the processor, {size / processor:.0f} runs/s of that"
                print(f"{size} runs, {series} series, {which}: {told}; at most {memory:.0f} MiB", flush=True)


@contextmanager
def _database(runs: int) -> Iterator[tuple[Path, Plan, Store]]:
    with tempfile.TemporaryDirectory(prefix="judge-one-") as folder:
        file, begun = Path(folder) / "matrix.db", time.perf_counter()
        make(file, runs)
        print(f"{runs} runs in {file.stat().st_size / 2**30:.2f} GiB, made in {time.perf_counter() - begun:.0f} s")
        store = open_store(f"sqlite:///{file}")
        try:
            yield file, plan(runs), store
        finally:
            store.close()


def _new_runs(file: Path, made: Plan, store: Store) -> Took:
    """Milliseconds by the clock and of the processor to judge one new run in a sweep, the medians."""
    line = next(of for of in made.lines if not of.plain and of.bad[0] >= made.revisions)
    medians = (0.0, 0.0)
    gc.collect()
    gc.freeze()  # the plan of the database is no load of the judge's
    ways: tuple[tuple[str, Callable[[Store, str], object]], ...] = (
        ("by itself", judge_one),
        ("in a sweep", lambda of, key: judge_some(of, [key])),
    )
    for way, (name, judge) in enumerate(ways):
        judge(store, line.key)
        took = []
        for i in range(TIMES):
            _arrive(file, made, store, line, f"9.{way}.{i}")
            took.append(_timed(judge, store, line.key))
        medians = tuple(statistics.median(column) for column in zip(*took, strict=True))
        worst = max(wall for wall, _ in took)
        told = f"median of {TIMES} {medians[0]:.0f} ms (at most {worst:.0f}), {medians[1]:.0f} ms on the processor"
        print(f"  a run of a series of {made.revisions} revisions x {PROMPTS} prompts, {name}: {told}", flush=True)
    return medians


def _ratios(took: dict[int, Took]) -> None:
    first = next(iter(took.values()))
    for size, (wall, processor) in took.items():
        told = f"{wall / first[0]:.2f} times the clock, {processor / first[1]:.2f} times the processor of the smallest"
        print(f"{size} runs: {wall:.0f} ms (aim: under 100 ms), {told}")


def _timed(judge: Callable[[Store, str], object], store: Store, key: str) -> Took:
    begun, used = time.perf_counter(), time.process_time()
    judge(store, key)
    return 1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - used)


def _arrive(file: Path, made: Plan, store: Store, line: Line, version: str) -> None:
    """A new revision: a run as this series has them and its baseline, and the comparisons of all other series."""
    engine = line.cell.revision.engine
    of = replace(line.cell, revision=Revision(engine, version))
    for cell, length in ((of.baseline, None), (of, 1.8 + 0.25 * (line.number % LEVELS))):
        store.runs.save(_run(cell, samples_of(length, len(version))))
    beside = [other.key for other in made.lines if other.cell.revision.engine == engine and other.key != line.key]
    rows = [
        (engine, version, key, metric, (1 + i * 37 % 1000) / 1001, 1.0)
        for i, key in enumerate(beside)
        for metric in ("accept-length", "speed")
    ]
    with sqlite3.connect(file) as conn:
        conn.executemany(
            "INSERT INTO falls (engine, revision, series_key, metric, p, q) VALUES (?, ?, ?, ?, ?, ?)", rows
        )
    conn.close()


def _run(cell: Cell, samples: tuple[Sample, ...]) -> RunResult:
    return RunResult(
        run_id=f"{cell.spec.name}-{cell.revision.version}",
        cell=cell,
        content_key=cell.content_key("recipe", "1"),
        recipe_text="recipe",
        probe_version="1",
        outcome=Outcome.OK,
        reason="fine",
        started_at=2e9,
        finished_at=2e9 + 1,
        samples=samples,
    )
