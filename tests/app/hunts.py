"""Hunts whose engine is a rule: every run is stored as a real one, and the process may be killed at any step."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from matrix.app.bisect.hunt import Hunt
from matrix.app.bisect.points import Line, Point
from matrix.app.bisect.request import Regress, Request
from matrix.bisect.answers import Said
from matrix.bisect.history import GOOD_END, History
from matrix.bisect.search import Decision
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.store import Store, StoredPoint
from tests.app.stored import cell, ended, served
from tests.store.build import key

Rule = Callable[[int, int], Said]
"""What a run of a point at a boot ordinal says."""


def line_of(history: History) -> Line:
    """The history's points as releases 1.0, 1.1 ... after 0.9."""
    points = tuple(Point(f"1.{i}", f"1.{i}") for i in range(len(history)))
    return Line(Point("0.9", "0.9"), points, history.parents, (1.0,) * len(history))


@dataclass
class Machine:
    """Runs points, each stored under its content key and found there again; `kill` may end the process at any step."""

    store: Store
    name: str
    rule: Rule
    kill: Callable[[], None] = lambda: None
    completed: Counter[tuple[int, int]] = field(default_factory=Counter)

    def run(self, line: Line, point: int, boot: int) -> StoredPoint:
        of = cell(line.point(point).version, target=self.name, boot=boot)
        if (known := self.store.runs.newest(key(of))) is not None:
            return known
        self.kill()
        self._save(of, self.rule(point, boot))
        self.completed[point, boot] += 1
        self.kill()
        found = self.store.runs.newest(key(of))
        assert found is not None
        return found

    def _save(self, of: Cell, said: Said) -> None:
        at = 1000.0 + of.boot
        if said is Said.GOOD:
            served(self.store, of, 2.0, at=at)
        else:
            ended(self.store, of, Outcome.LOAD_CRASH if said is Said.BAD else Outcome.BUILD_FAILED, at=at)


class RuledHunt(Hunt):
    """A hunt on a `Machine`."""

    machine: Machine

    def _run(self, point: int, boot: int) -> StoredPoint:
        return self.machine.run(self.line, point, boot)


def hunt_on(machine: Machine, line: Line, number: int, parallel: int = 1) -> RuledHunt:
    request = Request(config="", engine="sglang", bad="", regress=Regress.WORKS, target=machine.name)
    nothing = cast(Any, SimpleNamespace(name="venv"))

    def say(_: str) -> None:
        machine.kill()

    hunt = RuledHunt(request, nothing, line, number, machine.store, nothing, nothing, say, note=say, parallel=parallel)
    hunt.machine = machine
    return hunt


def begun(store: Store, line: Line) -> int:
    return store.bisections.begin(
        engine="sglang", level="release", question="works", request={}, config="", history=line.to_json(), owner="me"
    )


def hunted(machine: Machine, line: Line, number: int, parallel: int = 1) -> Decision:
    """Hunt to the end; after each kill a new process takes it up."""
    for _ in range(500):
        try:
            return hunt_on(machine, line, number, parallel).go()[1]
        except KeyboardInterrupt:
            continue
    raise AssertionError("no end after 500 kills")


def breaking_at(culprit: int) -> Rule:
    """Points in a row of which those from `culprit` on are bad, whatever the boot."""
    return lambda point, boot: Said.BAD if point != GOOD_END and point >= culprit else Said.GOOD


def killing(dice: Random, chance: float) -> Callable[[], None]:
    """Ends the process now and then, as Ctrl-C does; what is stored stays."""

    def kill() -> None:
        if dice.random() < chance:
            raise KeyboardInterrupt

    return kill
