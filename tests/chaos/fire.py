"""The kills: a seeded plan of victims and moments, carried out one after the other, each checked."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.chaos.ledger import WITHIN_S, BrokenError, check_runs, check_whole, left, moves, night_is_over, runs, within
from tests.chaos.scene import Scene, kill

Strike = Callable[[Scene], bool]
"""Kills; False when there was nothing to kill."""


@dataclass(frozen=True)
class Shot:
    """`after_s` seconds after the last was survived."""

    number: int
    victim: str
    after_s: float


@dataclass(frozen=True)
class Survived:
    """`on_s`: seconds until work went on; `clean_s`: until nothing of the dead was left; `fault` is empty if all held."""

    scene: str
    number: int
    victim: str
    after_s: float
    on_s: float
    clean_s: float
    runs: int
    fault: str = ""

    @property
    def late(self) -> bool:
        """True when work went on, but too late."""
        return not self.fault and self.on_s > WITHIN_S


def plan(seed: int, scene: str, victims: Sequence[str], count: int, most_s: float) -> list[Shot]:
    """The same for the same seed: victims in turn, at moments up to `most_s` after the last was survived."""
    rng = random.Random(f"{seed} {scene}")
    return [Shot(n, victims[n % len(victims)], round(rng.uniform(0.0, most_s), 2)) for n in range(count)]


def fire(name: str, scene: Scene, victims: Mapping[str, Strike], shots: list[Shot]) -> Iterator[Survived]:
    """Carry out the shots on a scene that may have been through some already; ends with a night to its end."""
    if not scene.rounds:
        scene.release()
    _ensure_up(scene)
    begun = time.time()
    within(lambda: night_is_over(scene) or moves(scene, begun), lambda: f"nothing begins:\n{scene.log()}")
    for shot in shots:
        time.sleep(shot.after_s)
        if night_is_over(scene):
            _next_night(scene)
        yield _survive(name, scene, shot, victims[shot.victim])
    _ensure_up(scene)
    within(lambda: night_is_over(scene), lambda: f"the last night does not end:\n{scene.log()}")
    check_whole(scene)
    if code := scene.stop():
        raise BrokenError(f"the service ended with {code}:\n{scene.log()}")
    if remains := left(scene):
        raise BrokenError(f"left at the end: {remains}")


def _survive(name: str, scene: Scene, shot: Shot, strike: Strike) -> Survived:
    before, fault, on_s, clean_s = runs(scene), "", 0.0, 0.0
    at = time.time()
    struck = strike(scene)
    begun = time.monotonic()
    try:
        _ensure_up(scene)
        within(lambda: moves(scene, at), lambda: f"nothing goes on:\n{scene.log()}")
        on_s = time.monotonic() - begun
        within(lambda: not left(scene), lambda: f"left: {left(scene)}")
        clean_s = time.monotonic() - begun
        check_runs(scene, before)
    except BrokenError as error:
        fault = str(error)
    victim = shot.victim if struck else f"({shot.victim}: none there)"
    return Survived(name, shot.number, victim, shot.after_s, round(on_s, 2), round(clean_s, 2), len(before), fault)


def _ensure_up(scene: Scene) -> None:
    if not scene.up():
        scene.start()


def _next_night(scene: Scene) -> None:
    check_whole(scene)
    if scene.up():
        scene.stop()
    scene.release()
    scene.start()
    within(
        lambda: not night_is_over(scene) and moves(scene, time.time() - 1),
        lambda: f"no night begins:\n{scene.log()}",
        300,
    )


def kill_worker(scene: Scene) -> bool:
    """One helping worker."""
    workers = scene.workers()
    for worker in workers[:1]:
        kill(worker.pid)
    return bool(workers)


def kill_server(scene: Scene) -> bool:
    """The serving process: its worker is left alone for it to find out."""
    if not scene.up():
        return False
    assert scene.service is not None
    kill(scene.service.pid)
    scene.service.wait(60)
    return True


def kill_all(scene: Scene) -> bool:
    """Server and workers at the same moment, as when the machine ends them."""
    workers = scene.workers()
    killed = kill_server(scene)
    for worker in workers:
        kill(worker.pid)
    return killed
