"""Thirty nights of an operation on eight GPUs, in minutes: `python -m benchmarks nights[=NIGHTS]`.

Planner, calendar, queue, leases, budgets, judge, bisections and database are the real ones. The clock is virtual
(`benchmarks.virtual`); the index, the GPUs and the engine behind a cell are simulated. A release appears in most
nights, in some two or none, and now and then one vanishes before it was measured. Twice nobody is there at night.
"""

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import matrix.demo
from benchmarks.nights_told import MOST_IDLE, Told, lines, told
from benchmarks.nights_world import DAY, GPUS, World
from benchmarks.virtual import Clock
from matrix.app.bisect.carry import Tools, bisect
from matrix.app.bisect.request import Level, Regress, Request
from matrix.app.nightly import Shift
from matrix.app.source import Source
from matrix.app.worker import Worker
from matrix.store import open_store

Say = Callable[[str], None]
NIGHTS, TARGETS, SPECS = 30, 40, 25
HOURS, GPU_HOURS = 8.0, 62.0
BEGIN = 1_767_225_600.0
"""1 January 2026, midnight UTC."""
MEMORY = "/dev/shm"  # noqa: S108 - that of a disk would be measured, not what scheduling takes
AWAY = (11, 12)
"""Days on which no shift is at work: the nights are missed."""
FILE = """
executor = "venv"
[engines.vllm]
install = "pip"
versions = ["latest:2"]
gpus = 1
[nightly]
when = "0 1 * * *"
hours = {hours}
gpu_hours = {gpu_hours}
on_new = false
[judge]
repeats = 0
minutes = 0
[workloads.short]
prompts = "standard"
limit = 4
max_tokens = 32
[drafts.head]
path = "{models}/eagle3"
"""


def _silent(text: str) -> None: ...


def matrix_file(folder: Path, targets: int, specs: int, hours: float, gpu_hours: float) -> Path:
    """A file of targets by spec configs, the first of them without a draft."""
    models = Path(matrix.demo.__file__).parent / "models"
    text = FILE.format(models=models, hours=hours, gpu_hours=gpu_hours)
    text += "".join(f'[targets.t{n}]\npath = "{models}/target"\n' for n in range(targets))
    text += "".join(f'[specs.e{k}]\nmethod = "eagle3"\ndraft = "head"\nk = {k}\n' for k in range(1, specs))
    file = folder / "matrix.toml"
    file.write_text(text)
    return file


def main(nights: int = NIGHTS) -> None:
    """Print what the nights came to; raises SystemExit when something happened that must not."""
    begun, worked = time.perf_counter(), time.process_time()
    found = simulate(nights, TARGETS, SPECS, HOURS, GPU_HOURS)
    took, worked = time.perf_counter() - begun, time.process_time() - worked
    print("\n".join(lines(found, BEGIN)))
    each = 1000 * worked / max(found.runs, 1)
    print(f"{nights} days in {took:.0f} s, {worked:.0f} s of a processor: {each:.1f} ms a run")
    if found.faults:
        sys.exit("\n".join(found.faults))


def simulate(
    days: int,
    targets: int,
    specs: int,
    hours: float,
    gpu_hours: float,
    *,
    most_idle: float = MOST_IDLE,
    away: tuple[int, ...] = AWAY,
    say: Say = _silent,
) -> Told:
    """What so many days come to, beginning at midnight, of which those `away` have no night shift; `say` hears it."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as name:
        folder = Path(name)
        file, db = matrix_file(folder, targets, specs, hours, gpu_hours), f"sqlite:///{folder}/matrix.db"
        open_store(db).close()
        rows = sqlite3.connect(folder / "matrix.db", check_same_thread=False)
        world = World(BEGIN, targets, specs, rows, away)
        clock = Clock(BEGIN, world.passing)
        try:
            with world.installed(clock):
                clock.run(_parts(file, db, clock, world, BEGIN + days * DAY, say))
            return told(rows, world, days, hours, gpu_hours, most_idle)
        finally:
            rows.close()


def _parts(file: Path, db: str, clock: Clock, world: World, end: float, say: Say) -> dict[str, Callable[[], None]]:
    """The shift, which works itself, seven workers more, and two bisections, open all through each night."""

    def worker() -> None:
        _worker(db, clock, world, end)

    def first() -> None:
        _bisections(file, db, clock, world, end, 0)

    def second() -> None:
        _bisections(file, db, clock, world, end, 1)

    return {
        "shift": lambda: _shift(file, db, clock, world, end, say),
        **{f"worker {n}": worker for n in range(1, GPUS)},
        "bisection 0": first,
        "bisection 1": second,
    }


def _shift(file: Path, db: str, clock: Clock, world: World, end: float, say: Say) -> None:
    shift = Shift(file, db, None, world.quiet, say, clock=clock.time)
    while clock.now < end:
        if world.nobody_there() or not shift.tick():
            clock.sleep(1800)


def _worker(db: str, clock: Clock, world: World, end: float) -> None:
    worker = Worker(open_store(db), db, "venv", world.quiet, hardware=world.hardware.label)
    worker.begin()
    while clock.now < end:
        if not world.offers() or worker.work() is None:
            clock.sleep(60 if world.at_night() else 1800)
    worker.store.close()


def _bisections(file: Path, db: str, clock: Clock, world: World, end: float, number: int) -> None:
    """One bisection after another each night, from half past midnight on, each of another target or spec config."""
    turn = number
    while clock.now < end and turn < world.targets * (world.specs - 1):
        if not world.at_night(0.5):
            clock.sleep(1800)
            continue
        store = open_store(db)
        tools = Tools(Source(file), world.executor, store, world.quiet, _silent, lambda forecast, line: True)
        bisect(_asked(file, world, turn), tools)
        store.close()
        turn += 2


def _asked(file: Path, world: World, turn: int) -> Request:
    rest, target = divmod(turn, world.targets)
    return Request(
        config=str(file),
        engine="vllm",
        good="0.20.0",
        bad="0.20.63",
        regress=Regress.ACCEPT,
        target=f"t{target}",
        draft="head",
        method="eagle3",
        spec=f"e{1 + rest % (world.specs - 1)}",
        workload="short",
        level=Level.RELEASE,
        executor="venv",
        ahead=False,
    )
