"""Keeps artifacts within their disk budget: what is there, why it must stay, and what gives way."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from matrix.app.attribute import regressions
from matrix.app.folders import cache_dir
from matrix.core.errors import MatrixError
from matrix.executors import disk, owner
from matrix.executors.docker.disk import images, remove_image
from matrix.executors.uses import IMAGE
from matrix.plan.eviction import Eviction, Thing, evict
from matrix.stats.words import count
from matrix.store import Store
from matrix.store.bisections import OPEN

ROUNDS = 8
"""What several things share becomes the last one's own: so often is measured and chosen again."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Room:
    """What was removed, and how things stand now; `uncounted` says why images are not among them, empty where they are.

    `now.goes` is what would go next.
    """

    removed: tuple[Thing, ...]
    now: Eviction
    uncounted: str = ""


def look(store: Store, budget: int | None) -> Room:
    """What takes room now and what would give way to a budget of so many bytes (None: no limit); removes nothing."""
    folders, held = _folders(store), held_by(store)
    found, shared = disk.things(folders, held)
    uncounted = ""
    try:
        pulled, common = images(folders, held)
    except MatrixError as error:
        pulled, common, uncounted = [], 0, error.cause
    since = min((c.claimed_at or 0.0 for c in store.service.claims() if owner.alive(c.owner)), default=None)
    return Room((), evict(_in_use([*found, *pulled], since), shared + common, budget), uncounted)


def make_room(store: Store, budget: int, say: Say) -> Room:
    """Remove what gives way, and say what went and by what the budget is exceeded still."""
    removed: list[Thing] = []
    room = look(store, budget)
    for _ in range(ROUNDS):
        gone = [thing for thing in room.now.goes if _removed(thing, store, say)]
        removed += gone
        if not gone:
            break
        room = look(store, budget)
    if removed:
        say(f"made room on the disk: removed {_listed(removed)}, {gib(sum(t.size for t in removed))}")
    if room.now.over:
        say(f"artifacts take {gib(room.now.after)}, {gib(room.now.over)} more than [artifacts] disk_gib: {_why(room)}")
    return replace(room, removed=tuple(removed))


def held_by(store: Store) -> disk.Held:
    """Why artifacts (by digest) and logs (by reference) must stay: open bisections, and regressions that stand."""
    held: dict[str, set[str]] = defaultdict(set)
    for artifact in store.service.rows(0).artifacts:
        held[artifact.ref].add(f"held: {artifact.reason}")
    reasons: dict[str, set[str]] = defaultdict(set)
    for bisection in store.bisections.all(OPEN):
        for answer in store.bisections.get(bisection.bisection_id).answers:
            reasons[answer.run_id or ""].add(f"bisection {bisection.bisection_id} is open")
    for item in regressions(store):
        reasons[item.from_run or ""].add(f"last good before regression {item.flip_id}")
        if item.counts:
            reasons[item.to_run or ""].add(f"regression {item.flip_id} is not acknowledged")
    for used in store.artifacts.used([run for run in reasons if run]):
        for ref in (used.digest, used.log_ref):
            if ref is not None:
                held[ref] |= reasons[used.run_id]
    return {ref: sorted(why) for ref, why in held.items()}


def gib(size: int) -> str:
    """For a person: `1.5 GiB`, below a tenth of it `12.3 MiB`."""
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:.1f} MiB"


def _folders(store: Store) -> disk.Folders:
    return disk.Folders(cache_dir().resolve(), store.state_dir.resolve())


def _in_use(things: Iterable[Thing], since: float | None) -> list[Thing]:
    """What was used since the earliest cell under way began may be used by it now, or next."""
    if since is None:
        return list(things)
    why = f"used since {time.strftime('%H:%M', time.localtime(since))}, when a cell under way began"
    return [replace(t, holds=(*t.holds, why)) if t.used_at >= since else t for t in things]


def _removed(thing: Thing, store: Store, say: Say) -> bool:
    try:
        return (remove_image if thing.kind == IMAGE else disk.remove)(thing, _folders(store))
    except (MatrixError, OSError, StopIteration) as error:
        say(f"{thing.kind} {thing.label or thing.ref} cannot be removed: {error}")
        return False


def _listed(things: Iterable[Thing]) -> str:
    kinds: dict[str, int] = defaultdict(int)
    for thing in things:
        kinds[thing.kind] += 1
    return ", ".join(count(number, kind) for kind, number in sorted(kinds.items()))


def _why(room: Room) -> str:
    first = [f"{t.kind} {t.label or t.ref[:24]} ({t.holds[0]})" for t in room.now.held[:3]]
    return "; ".join(first) or "what is left is shared by others or could not be removed"
