"""What must hold after a kill: nothing lost, nothing doubled, nothing left over, work goes on."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator

import psutil
from filelock import FileLock, Timeout

from matrix.app.job import owner_of
from matrix.executors import owner
from matrix.executors.processes import BUILD, OWNER, RUN
from matrix.executors.venv_paths import Environment
from tests.chaos.scene import Scene, rows

WITHIN_S, GIVE_UP_S = 60.0, 400.0
"""Work must go on within the first; it is waited for longer, so that a slow machine's lateness hides no other fault."""


class BrokenError(AssertionError):
    """Something does not hold."""


def runs(scene: Scene) -> dict[str, tuple[str, str]]:
    """Run id -> content key and outcome."""
    return {str(i): (str(k), str(o)) for i, k, o in rows(scene, "select run_id, content_key, outcome from runs")}


def night_is_over(scene: Scene) -> bool:
    """True when all cells of all releases were asked for, none waits, and the night's row is closed."""
    if rows(scene, "select count(distinct content_key) from jobs") != [(scene.cells,)]:
        return False
    open_ = rows(scene, "select 1 from jobs where status in ('queued', 'claimed') limit 1")
    return not open_ and not rows(scene, "select 1 from ticks where status = 'running' limit 1")


def moves(scene: Scene, since: float) -> bool:
    """True when a living process has taken a cell, gone on with one or stored one since then, or all work is done."""
    claims = rows(scene, "select owner, claimed_at, phase_at from jobs where status = 'claimed'")
    going = any(owner.alive(str(who)) and max(at or 0, on or 0) > since for who, at, on in claims)  # type: ignore[type-var]
    stored = rows(scene, f"select 1 from runs where finished_at > {since!r} limit 1")
    return going or bool(stored) or night_is_over(scene)


def within(true: Callable[[], bool], what: Callable[[], str], seconds: float = GIVE_UP_S) -> float:
    """Seconds until it was true; BrokenError with `what` when it never is."""
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > seconds:
            raise BrokenError(what())
        time.sleep(0.4)
    return time.monotonic() - begun


def check_runs(scene: Scene, before: dict[str, tuple[str, str]]) -> None:
    """Each run that was stored is stored still, and no cell was measured twice."""
    now = runs(scene)
    lost = [run for run in before if now.get(run) != before[run]]
    if lost:
        raise BrokenError(f"runs lost or changed: {lost}")
    twice = {k: n for k, n in Counter(key for key, outcome in now.values() if outcome != "infra").items() if n > 1}
    if twice:
        raise BrokenError(f"measured twice: {twice}")


def check_whole(scene: Scene) -> int:
    """After a night: each cell has its one run, or was given up by name; attempts add up. Returns cells given up."""
    now = runs(scene)
    check_runs(scene, now)
    measured = {key for key, outcome in now.values() if outcome != "infra"}
    given_up = {str(key) for (key,) in rows(scene, "select content_key from runs where outcome = 'infra'")} - measured
    keys = {str(key) for (key,) in rows(scene, "select distinct content_key from jobs")}
    if keys - measured - given_up or len(keys) != scene.cells:
        raise BrokenError(f"{len(keys)} cells were asked for, {len(measured)} measured, {len(given_up)} given up")
    bad = rows(scene, "select id, attempts, lost from jobs where lost > attempts or lost > 3")
    bad += rows(scene, "select j.id, j.run_id, 0 from jobs j left join runs r on r.run_id = j.run_id "
                "where j.status = 'done' and r.id is null")  # fmt: skip
    if bad:
        raise BrokenError(f"jobs whose attempts do not add up, or whose run is not there: {bad}")
    wrong = Counter(o for _, o in now.values()) - Counter({"ok": 10**9, "infra": 10**9, "oom": 10**9})
    if wrong:
        raise BrokenError(f"a kill was taken for the engine's fault: {dict(wrong)}")
    return len(given_up)


def left(scene: Scene) -> list[str]:
    """What a dead process of this scene has left, one line each."""
    return [*_processes(scene), *_rows(scene), *_files(scene), *_environments(scene)]


def _processes(scene: Scene) -> Iterator[str]:
    for process in psutil.process_iter():
        try:
            environ, words = process.environ(), process.cmdline()
            state = process.status()
        except (psutil.Error, OSError):
            continue
        mine = str(scene.root) in " ".join([*words, environ.get(BUILD, ""), environ.get("MATRIX_CACHE", "")])
        made = RUN in environ or BUILD in environ
        if mine and made and state != psutil.STATUS_ZOMBIE and not owner.alive(environ.get(OWNER, "")):
            yield f"process {process.pid}: {' '.join(words)[:120]}"
    pid = scene.service.pid if scene.service is not None else -1
    yield from (f"orphaned worker {w.pid}" for w in scene.workers() if _parent(w) not in (pid, None))


def _parent(process: psutil.Process) -> int | None:
    try:
        return process.ppid() if process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def _rows(scene: Scene) -> Iterator[str]:
    for table, where in (
        ("jobs", "where status = 'claimed'"),
        ("gpu_leases", ""),
        ("sweeps", "where status = 'running'"),
    ):
        for number, who in rows(scene, f"select id, owner from {table} {where}"):
            if not owner.alive(str(who)):
                yield f"{table} {number} of {who}"


def _files(scene: Scene) -> Iterator[str]:
    for folder in (scene.state / "running").glob("*"):
        if not owner.alive(owner_of(folder)):
            yield str(folder)
    for record in (scene.state / "servers").glob("*.json"):
        try:
            body = json.loads(record.read_text())
        except FileNotFoundError:
            continue
        if not owner.alive(body["owner"]):
            yield str(record)


def _environments(scene: Scene) -> Iterator[str]:
    for lock in scene.envs.glob("*.lock"):
        env = Environment(lock.with_suffix(""))
        if env.half_made():
            try:
                with FileLock(lock, timeout=0):
                    if env.half_made():
                        yield f"half-made environment {env.path.name}"
            except Timeout:
                continue
