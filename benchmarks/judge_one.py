"""Judging one new run in a large database: only its own series is read, so that the size hardly counts.

The SQLite file is made in a temporary folder with the store's own tables and indexes. One series is stored as sweeps
store it, its runs among the others'; the rest are copies of its rows under other keys, written by SQL.
"""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from matrix.app.judging import judge_one, judge_some
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.counters import Counters
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.result import RunResult, Sample
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.store import Store, open_store

RUNS, REVISIONS, PROMPTS, STEPS = 1_000_000, 50, 64, 50
TIMES = 20
"""The median of so many judgements is printed."""


def main(runs: int = RUNS) -> None:
    """Print how long it takes to judge one new run among `runs`."""
    with tempfile.TemporaryDirectory(prefix="judge-one-") as folder:
        file = Path(folder) / "matrix.db"
        begun = time.perf_counter()
        total = _fill(file, runs)
        size = file.stat().st_size / 2**30
        print(f"{total} runs in {size:.2f} GiB, made in {time.perf_counter() - begun:.0f} s")
        store = open_store(f"sqlite:///{file}")
        try:
            _measure(store)
        finally:
            store.close()


def _measure(store: Store) -> None:
    drafted = cell(f"1.{REVISIONS}.0")
    store.runs.save(_run(replace(drafted, spec=BASELINE), 1_000_000.0))
    store.runs.save(_run(drafted, 1_000_001.0))
    for name, judge in (("by itself", judge_one), ("in a sweep", lambda s, key: judge_some(s, [key]))):
        judge(store, drafted.series_key)
        took = [_timed(judge, store, drafted.series_key) for _ in range(TIMES)]
        wall, processor = (1000 * statistics.median(column) for column in zip(*took, strict=True))
        told = f"median of {TIMES} {wall:.0f} ms, {processor:.0f} ms of them on the processor"
        print(f"one series of {REVISIONS + 1} revisions x {PROMPTS} prompts, judged {name}: {told} (aim: under 100 ms)")


def _timed(judge: Callable[[Store, str], object], store: Store, key: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor; on a busy machine the first is more."""
    begun, used = time.perf_counter(), time.process_time()
    judge(store, key)
    return time.perf_counter() - begun, time.process_time() - used


def _fill(file: Path, runs: int) -> int:
    """Make the database; returns how many runs it holds."""
    store = open_store(f"sqlite:///{file}")
    for i in range(REVISIONS):
        for spec in (BASELINE, cell("1").spec):
            of = replace(cell(f"1.{i}.0"), spec=spec)
            store.runs.save(_run(of, float(i)))
    judge_one(store, cell("1").series_key)
    store.close()
    with sqlite3.connect(file) as conn:
        conn.execute("PRAGMA synchronous = OFF")
        each = 2 * REVISIONS
        for copy in range(1, runs // each):
            _copy(conn, copy, each)
        conn.commit()
        conn.execute("ANALYZE")
        return int(conn.execute("SELECT count(*) FROM runs").fetchone()[0])


def _copy(conn: sqlite3.Connection, copy: int, each: int) -> None:
    """The stored series and its baseline once more, as another target's: all runs, four samples of each, all verdicts.

    The new series' rows are the first ones, the copies follow.
    """
    given = {
        "id": f"id + {copy * each}",
        "run_id": f"run_id || '-{copy}'",
        "content_key": f"'{copy:08x}' || substr(content_key, 9)",
        "series_key": f"'{copy:08x}' || substr(series_key, 9)",
        "baseline_key": f"'{copy:08x}' || substr(baseline_key, 9)",
        "target": f"'target-{copy}'",
        "run": f"run + {copy * each}",
    }
    mine = f"series_key = '{cell('1').series_key}'"
    for table, where in (("runs", f"id <= {each}"), ("samples", f"run <= {each} AND ordinal < 4"), ("verdicts", mine)):
        names = [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(given.get(name, f'"{name}"') for name in names)
        conn.execute(f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {where}")  # noqa: S608 - own names only


def cell(version: str) -> Cell:
    """A drafted cell of one release, over prompts of which only the names matter."""
    prompts = tuple(Prompt(f"p{i:02}", "code", f"prompt {i}") for i in range(PROMPTS))
    target, draft = (Model(name, f"/models/{name}", name, name.ljust(64, "0")) for name in ("target", "draft"))
    spec = SpecConfig("eagle3-k4", Method.EAGLE3, draft, 4)
    workload = Workload("standard", prompts, 128)
    return Cell(Revision("vllm", version), target, spec, LaunchOptions(), workload, Hardware("cpu", 2), "venv", "pip")


def _run(of: Cell, at: float) -> RunResult:
    samples = tuple(_sample(of, i) for i in range(PROMPTS))
    return RunResult(
        run_id=f"{of.spec.name}-{of.revision.version}",
        cell=of,
        content_key=of.content_key("recipe", "1"),
        recipe_text="recipe",
        probe_version="1",
        outcome=Outcome.OK,
        reason="fine",
        started_at=at,
        finished_at=at + 1,
        samples=samples,
    )


def _sample(of: Cell, number: int) -> Sample:
    accepted = 0 if of.spec.is_baseline else STEPS + number % 7
    counters = Counters(STEPS, 4 * STEPS, accepted, None, STEPS, STEPS + accepted + 1)
    return Sample(f"p{number:02}", "code", 0, 1, counters, 2.0 + number / 100, "text", "d" * 64)
