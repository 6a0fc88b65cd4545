"""All scenes at once, each in a thread of its own: what is killed how often, what was survived, resumable."""

import json
import os
import shutil
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from tests.chaos.fire import Shot, Strike, Survived, fire, kill_all, kill_server, kill_worker, plan
from tests.chaos.scene import Scene
from tests.chaos.servers import Cluster
from tests.store import postgres

WHERE = Path(tempfile.gettempdir())


@dataclass(frozen=True)
class Lane:
    """`share` of all kills fall on this scene, on each of its victims as often as it is named."""

    name: str
    share: float
    victims: tuple[str, ...]


SQLITE = Lane("sqlite", 0.6, ("worker", "server", "worker", "all", "worker"))
POSTGRES = Lane("postgres", 0.4, ("postgres", "worker", "postgres", "server"))


@dataclass
class Book:
    """What was survived so far, kept in a file so that a battle that was stopped goes on."""

    file: Path
    rows: list[Survived] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.file.exists():
            self.rows = [Survived(**row) for row in json.loads(self.file.read_text())]

    def add(self, row: Survived) -> None:
        with self._lock:
            self.rows.append(row)
            part = self.file.with_suffix(".part")
            part.write_text(json.dumps([asdict(r) for r in self.rows], indent=0))
            part.replace(self.file)

    def done(self, lane: str) -> int:
        return sum(1 for row in self.rows if row.scene == lane)


def battle(
    kills: int, seed: int, lanes: Sequence[Lane] = (SQLITE, POSTGRES), batch: int = 10, most_s: float = 4.0
) -> list[str]:
    """Carry out so many kills and print each, then a table; returns the faults and what was late, none when all held.

    Stopped in between, the same call goes on where it stood. Without PostgreSQL its share falls on SQLite.
    """
    if reason := postgres.missing():
        print(f"no kills of PostgreSQL: {reason}", flush=True)
        lanes = [lane for lane in lanes if lane is not POSTGRES]
    root = WHERE / f"specmatrix-chaos-{seed}-{kills}"
    root.mkdir(exist_ok=True)
    book, faults = Book(root / "survived.json"), []
    if book.rows:
        print(f"{root}: going on after {len(book.rows)} kills", flush=True)
    counts = shares(kills, lanes)
    threads = [
        threading.Thread(target=_lane, args=(lane, counts[lane.name], seed, root, book, faults, batch, most_s))
        for lane in lanes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    faults += [f"{row.scene} {row.number} ({row.victim}): {row.fault}" for row in book.rows if row.fault]
    faults += [f"{row.scene} {row.number} ({row.victim}): only after {row.on_s:.0f} s" for row in book.rows if row.late]
    print("\n".join(table(book.rows)), flush=True)
    if not faults:
        shutil.rmtree(root, ignore_errors=True)
    return faults


def shares(kills: int, lanes: Sequence[Lane]) -> dict[str, int]:
    """How many kills fall on each lane: by share, the rest on the first."""
    whole = sum(lane.share for lane in lanes)
    counts = {lane.name: int(kills * lane.share / whole) for lane in lanes}
    counts[lanes[0].name] += kills - sum(counts.values())
    return counts


def _lane(
    lane: Lane, count: int, seed: int, root: Path, book: Book, faults: list[str], batch: int, most_s: float
) -> None:
    try:
        with _scene(lane, root / lane.name, batch) as (scene, victims):
            shots = plan(seed, lane.name, lane.victims, count, most_s)[book.done(lane.name) :]
            for row in fire(lane.name, scene, victims, shots):
                book.add(row)
                print(line(row), flush=True)
    except Exception as error:  # noqa: BLE001 - told with the others; the other lanes go on
        faults.append(f"{lane.name}: {type(error).__name__}: {error}")


@contextmanager
def _scene(lane: Lane, root: Path, batch: int) -> Iterator[tuple[Scene, Mapping[str, Strike]]]:
    root.mkdir(exist_ok=True)
    victims: dict[str, Strike] = {"worker": kill_worker, "server": kill_server, "all": kill_all}
    if lane.name == "postgres":
        cluster = Cluster(root / "pg")
        try:
            if not cluster.alive():
                cluster.start()
            with _ended(Scene(root, cluster.url, batch=batch)) as scene:
                yield scene, victims | {"postgres": cluster.strike}
        finally:
            cluster.stop()
    else:
        with _ended(Scene(root, f"sqlite:///{root}/project/matrix.db", batch=batch)) as scene:
            yield scene, victims


@contextmanager
def _ended(scene: Scene) -> Iterator[Scene]:
    try:
        yield scene
    finally:
        if scene.up():
            scene.stop()


def line(row: Survived) -> str:
    """One kill."""
    told = f"{row.scene:8} {row.number:3} {row.victim:10} after {row.after_s:4.1f} s: {row.runs:3} runs before,"
    return f"{told} work goes on after {row.on_s:5.1f} s, clean after {row.clean_s:5.1f} s{f' FAULT {row.fault}' if row.fault else ''}"


def table(rows: Sequence[Survived]) -> list[str]:
    """By scene and victim: kills, seconds until work went on and until all was clean (median, most), and faults."""
    groups: dict[tuple[str, str], list[Survived]] = defaultdict(list)
    for row in rows:
        groups[row.scene, row.victim].append(row)
    lines = [
        f"{'scene':10} {'killed':24} {'kills':>5} {'on: median':>11} {'most':>6} {'clean: median':>14} {'most':>6} {'faults':>6}"
    ]
    for (scene, victim), some in sorted(groups.items()):
        on, clean = [r.on_s for r in some], [r.clean_s for r in some]
        lines.append(
            f"{scene:10} {victim:24} {len(some):5} {median(on):11.1f} {max(on):6.1f}"
            f" {median(clean):14.1f} {max(clean):6.1f} {sum(1 for r in some if r.fault):6}"
        )
    late = sum(1 for row in rows if row.late)
    load = f"load average {os.getloadavg()[2]:.1f} on {os.cpu_count()} processors"
    return [*lines, f"{len(rows)} kills, {sum(1 for r in rows if r.fault)} faults, {late} late ({load})"]


__all__ = ["POSTGRES", "SQLITE", "Book", "Lane", "Shot", "battle", "line", "shares", "table"]
