"""What takes room on the disk, in words, a line each."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from matrix.app.room import Room, gib
from matrix.plan.eviction import Thing

MOST = 15
"""Things of one list that are named."""


def lines(room: Room, budget: int | None, removed: str) -> Iterator[str]:
    """Sums by kind, then what goes (after the word `removed`), then what stays and why."""
    now = room.now
    limit = "no budget: set [artifacts] disk_gib" if budget is None else f"budget {gib(budget)}"
    yield f"artifacts take {gib(now.before)} ({limit})"
    if room.uncounted:
        yield f"images are not counted: {room.uncounted}"
    sums: dict[str, list[int]] = defaultdict(list)
    for thing in (*now.goes, *now.stays):
        sums[thing.kind].append(thing.size)
    for kind, sizes in sorted(sums.items(), key=lambda item: -sum(item[1])):
        yield f"  {kind}: {len(sizes)}, {gib(sum(sizes))}"
    alone = sum(map(sum, sums.values()))
    if now.before > alone:
        yield f"  shared by several of them: {gib(now.before - alone)}"
    gone = room.removed or now.goes
    for thing in gone[:MOST]:
        yield f"{removed}: {_named(thing)}"
    if len(gone) > MOST:
        yield f"{removed}: {len(gone) - MOST} more, {gib(sum(t.size for t in gone[MOST:]))}"
    for thing in now.held[:MOST]:
        yield f"kept: {_named(thing)}: {'; '.join(thing.holds)}"
    if now.over:
        yield f"{gib(now.over)} over the budget remain: everything else that is left is kept for the reasons above"


def body(room: Room, budget: int | None) -> dict[str, Any]:
    """The same as JSON; sizes in bytes, times Unix seconds."""
    now = room.now
    return {
        "budget": budget,
        "before": now.before,
        "after": now.after,
        "over": now.over,
        "uncounted": room.uncounted,
        "removed": [asdict(t) for t in room.removed],
        "goes": [asdict(t) for t in now.goes],
        "stays": [asdict(t) for t in now.stays],
    }


def _named(thing: Thing) -> str:
    label = f" ({thing.label})" if thing.label else ""
    return f"{thing.kind} {thing.ref.removeprefix('sha256:')[:24]}{label}, {gib(thing.size)}"
