"""Eight worker processes claim and end 10,000 jobs of one database: none doubled, none lost, and how many a second."""

import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.synchronize import Barrier
from typing import TypeVar

from benchmarks.queue_cost import cells, measured
from matrix.app.patience import patiently
from matrix.app.planned import content_key
from matrix.app.terms import Terms
from matrix.store import Store, open_store
from tests.store import postgres

T = TypeVar("T")
WORKERS, JOBS = 8, 10_000
START_S = 300.0
"""For all workers to be there; on a busy machine a process takes its time."""
_gate: list[Barrier] = []


@dataclass(frozen=True, slots=True)
class Claimed:
    """`each` is how many jobs each worker ended, `doubled` and `lost` how many of all were ended twice or never.

    `stored` is how many runs the database holds afterwards, `done` how many of its jobs have ended with one.
    """

    seconds: float
    each: tuple[int, ...]
    doubled: int
    lost: int
    stored: int
    done: int

    def whole(self, jobs: int) -> bool:
        """True when each job was ended once and has its run."""
        return (self.doubled, self.lost, self.stored, self.done) == (0, 0, jobs, jobs)


def main(jobs: int = JOBS) -> None:
    """Both databases, a line each; ends with exit code 1 when a job was doubled or lost."""
    faults = []
    for name, url in databases():
        found = race(url, jobs)
        faults += [] if found.whole(jobs) else [name]
        print(
            f"{name:10} {jobs} jobs, {WORKERS} workers: {found.doubled} doubled, {found.lost} lost, "
            f"{found.stored} runs, {found.seconds:.0f} s, {jobs / found.seconds:.0f} a second; "
            f"each {min(found.each)} to {max(found.each)}",
            flush=True,
        )
    if faults:
        sys.exit(f"FAULT: jobs were doubled or lost on {', '.join(faults)}")


def databases() -> Iterator[tuple[str, str]]:
    """Name and URL of an empty database of each kind; PostgreSQL's only where a server can be started."""
    with tempfile.TemporaryDirectory() as folder:
        yield "sqlite", f"sqlite:///{folder}/matrix.db"
    if reason := postgres.missing():
        print(f"postgres   not tried: {reason}", flush=True)
        return
    with postgres.server() as socket:
        yield "postgres", f"postgresql://postgres@/postgres?host={socket}"


def race(url: str, jobs: int, workers: int = WORKERS) -> Claimed:
    """Fill the queue of an empty database, let the workers begin at once, and compare what they did with its rows."""
    with opened(url) as store:
        sweep = store.sweeps.create({}, "", owner="me", tool_version="0")
        numbers = store.queue.enqueue(sweep, [(content_key(cell), cell) for cell in cells(jobs)])
        parts = _run(url, workers)
        counts = Counter(number for part in parts for number in part[2])
        runs = Counter(job.run_id for job in store.read.sweep(sweep).jobs if job.status == "done")
        return Claimed(
            max(end for _, end, _ in parts) - min(begin for begin, _, _ in parts),
            tuple(len(part[2]) for part in parts),
            sum(times - 1 for times in counts.values()),
            sum(1 for number in numbers if number not in counts),
            sum(1 for _ in store.read.results()),
            len(runs),
        )


def work(url: str, owner: str) -> tuple[float, float, list[int]]:
    """One worker: claims and ends until nothing waits. When it began and ended (monotonic), and its jobs' numbers."""
    ended = []
    with opened(url) as store:
        _gate[0].wait(START_S)
        begin = time.monotonic()
        while (job := _patiently(lambda: store.queue.claim(owner))) is not None:
            result = measured(job.cell, job.content_key, f"run {job.job_id}")
            _patiently(partial(store.queue.finish, job.job_id, owner, result))
            ended.append(job.job_id)
    return begin, time.monotonic(), ended


def _run(url: str, workers: int) -> list[tuple[float, float, list[int]]]:
    """What each worker returned. The gate opens when all are there, so that each is a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])  # imports once, not once for each
    gate = context.Barrier(workers)
    with ProcessPoolExecutor(workers, context, initializer=_wait_at, initargs=(gate,)) as pool:
        return list(pool.map(work, [url] * workers, [f"worker {i}" for i in range(workers)]))


def _patiently(act: Callable[[], T]) -> T:
    """As workers do: SQLite lets its writers in by chance, and one that is passed over for 30 s asks again."""
    return patiently(act, Terms(patience_s=START_S), lambda cause: print(f"waited out: {cause}", file=sys.stderr))


def _wait_at(gate: Barrier) -> None:
    _gate.append(gate)


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """The store, closed at the end."""
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()
