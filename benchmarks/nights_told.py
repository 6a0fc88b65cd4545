"""Holds the rows of a simulated operation against what must not be, night by night."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.nights_world import DAY, GPUS, LONGEST_S, World

NIGHTS = """
SELECT t.slot, t.begun_at, t.status, t.sweep_id, t.note, count(r.id),
       coalesce(max(r.finished_at) - t.begun_at, 0), coalesce(sum(j.gpus * (r.finished_at - r.started_at)), 0),
       count(j.id) FILTER (WHERE NOT EXISTS (SELECT 1 FROM runs e WHERE e.series_key = r.series_key AND e.id < r.id))
FROM ticks t LEFT JOIN runs r ON r.sweep_id = t.sweep_id
LEFT JOIN jobs j ON j.sweep_id = r.sweep_id AND j.content_key = r.content_key
GROUP BY t.id ORDER BY t.slot
"""
DOUBLES = "SELECT content_key, count(*) FROM runs GROUP BY content_key HAVING count(*) > 1"
BISECTED = "SELECT count(*), coalesce(sum(status = 'done'), 0) FROM bisections WHERE status <> 'open'"
UNTIDY = {
    "jobs still open": "SELECT count(*) FROM jobs WHERE status IN ('queued', 'claimed')",
    "GPUs still leased": "SELECT count(*) FROM gpu_leases",
    "sweeps still running": "SELECT count(*) FROM sweeps WHERE status = 'running'",
    "runs that were not ok": "SELECT count(*) FROM runs WHERE outcome <> 'ok'",
    "runs of no job": "SELECT count(*) FROM runs WHERE run_id NOT IN (SELECT run_id FROM jobs WHERE run_id > '')",
}
MOST_IDLE = 0.05
"""Of the time of GPUs while work waits."""


@dataclass(frozen=True, slots=True)
class Night:
    """One night: when it was due and begun (Unix seconds), its runs, how long they took, their GPUs times seconds.

    `new` counts the runs whose series had none before: how long those take is guessed from constants.
    """

    slot: float
    begun: float
    status: str
    sweep: int | None
    note: str
    runs: int
    lasted_s: float
    gpu_s: float
    new: int


@dataclass(frozen=True, slots=True)
class Told:
    """What the nights came to. `faults` say what happened that must not, one line each; `idle` is a share."""

    nights: tuple[Night, ...]
    runs: int
    bisections: int
    idle: float
    faults: tuple[str, ...]


def told(
    rows: sqlite3.Connection, world: World, days: int, hours: float, gpu_hours: float, most_idle: float = MOST_IDLE
) -> Told:
    """What the database and the world say after so many days, of which those in `world.away` had no night shift."""
    nights = tuple(Night(*row) for row in rows.execute(NIGHTS))
    ended, solved = rows.execute(BISECTED).fetchone()
    idle = world.idle_s / world.waiting_s if world.waiting_s else 0.0
    faults = [
        *_late(nights, hours, gpu_hours),
        *_missed(nights, world, days),
        *(f"measured {n} times: {key}" for key, n in world.starts.items() if n > 1),
        *(f"stored {n} times: {key}" for key, n in rows.execute(DOUBLES)),
        *(f"{n} {what}" for what, query in UNTIDY.items() for n in rows.execute(query).fetchone() if n),
    ]
    if idle > most_idle:
        faults.append(f"GPUs were idle for {idle:.1%} of the time in which work waited")
    if ended != solved:
        faults.append(f"{ended - solved} of {ended} bisections found no release")
    return Told(nights, sum(world.starts.values()), solved, idle, tuple(faults))


def lines(found: Told, begin: float) -> Iterator[str]:
    """The table of the nights."""
    yield f"{'day':>5} {'begun':>6} {'runs':>6} {'hours':>6} {'GPU hours':>9} {'new':>5}"
    for night in found.nights:
        slot, begun = ((moment - begin) / DAY for moment in (night.slot, night.begun))
        measured = f"{night.runs:6} {night.lasted_s / 3600:6.2f} {night.gpu_s / 3600:9.2f} {night.new:5}"
        yield f"{slot:5.2f} {begun:6.2f} {measured}  {night.note}"
    yield f"{found.runs:,} runs, {found.bisections} bisections; GPUs idle for {found.idle:.2%} while work waited"


def _late(nights: tuple[Night, ...], hours: float, gpu_hours: float) -> Iterator[str]:
    """Limits that were exceeded; where cells ran for the first time, by more than one of them on each GPU."""
    for number, night in enumerate(nights):
        guessed = min(night.new, GPUS) * LONGEST_S
        if night.lasted_s > 3600 * hours + min(guessed, LONGEST_S):
            yield f"night {number} lasted {night.lasted_s / 3600:.2f} hours of {hours:g}"
        if night.gpu_s > 3600 * gpu_hours + guessed:
            yield f"night {number} took {night.gpu_s / 3600:.2f} GPU hours of {gpu_hours:g}"
        if night.status != "done":
            yield f"night {number} ended as {night.status}: {night.note}"


def _missed(nights: tuple[Night, ...], world: World, days: int) -> Iterator[str]:
    """Each day has one night; of days on end with nobody there the last one is caught up, once."""
    due = [day for day in range(days) if day not in world.away or (day + 1 not in world.away and day + 1 < days)]
    held = [int((night.slot - world.begin) // DAY) for night in nights]
    if held != due:
        yield f"nights of the days {held}, but {due} were due"
