"""The world around a simulated operation: an index whose releases come and go, eight GPUs, and an engine by rule."""

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from benchmarks.virtual import Clock
from matrix.app import gpus, job, setup, sweep, worker
from matrix.app.claim import Claim
from matrix.app.terms import terms_from
from matrix.core.cell import Cell
from matrix.core.counters import Counters
from matrix.core.hardware import Hardware
from matrix.core.index import IndexSettings
from matrix.core.outcome import Outcome
from matrix.core.recipe import Device, Recipe
from matrix.core.result import RunResult, Sample
from matrix.engines.registry import adapter_for
from matrix.executors import owner
from matrix.probes import PROBE_VERSION
from matrix.sources import hardware, package_index, pip_settings
from matrix.sources.hardware import Gpu, Gpus

DAY, GPUS = 86_400.0, 8
_WAITING = "SELECT 1 FROM jobs WHERE status = 'queued'"
_BUILD_S, _START_S, _PROBE_S, _WAIT_S = 45.0, 60.0, 250.0, 15.0
LONGEST_S = _BUILD_S + _START_S + _PROBE_S + 2 * _WAIT_S
"""A run from its claim to its end, where two of the GPUs' waits are in it."""
_HARDWARE = Hardware("simulated", 64, "NVIDIA H200", GPUS, "580.10", "13.0", "9.0", "2.36", "3.12")
_SEEN = Gpus(tuple(Gpu("NVIDIA H200", f"GPU-{n}", 141.0, "9.0") for n in range(GPUS)), "580.10", "13.0")
_DEVICES = tuple(Device(n, f"GPU-{n}") for n in range(GPUS))


def share(*words: object) -> float:
    """A number from 0 to 1 that the words alone decide."""
    return int(sha256(repr(words).encode()).hexdigest()[:12], 16) / 16**12


class _Quiet:
    def phase(self, cell: Cell, phase: str, detail: str = "") -> None: ...

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None: ...


@dataclass(slots=True)
class World:
    """What happens outside of the service from `begin` (Unix seconds) on; `rows` is its database.

    `away` are days on which nobody carries out nights. `starts` counts the probes of each content key, `waiting_s` the
    GPUs times seconds in which a job waited, `idle_s` those of them in which the GPU did nothing."""

    begin: float
    targets: int
    specs: int
    rows: sqlite3.Connection
    away: tuple[int, ...] = ()
    hardware: Hardware = _HARDWARE
    quiet: _Quiet = field(default_factory=_Quiet)
    busy: int = 0
    waiting_s: float = 0.0
    idle_s: float = 0.0
    clock: Clock = field(init=False)
    starts: Counter[str] = field(default_factory=Counter)
    _built: dict[str, float] = field(default_factory=dict)

    @property
    def executor(self) -> Any:
        """An executor that builds nothing."""
        return SimpleNamespace(name="venv", built=self._is_built, build=None, reap=list)

    def versions(self, *_: object, **__: object) -> list[str]:
        """Releases of now: 64 old ones, then mostly one a day at ten in the evening; some days two, some none.

        One in ten is withdrawn two hours later, before the night.
        """
        found = [f"0.20.{n}" for n in range(64)]
        for day in range(-2, int((self.clock.now - self.begin) / DAY) + 1):
            out = self.begin + day * DAY + 22 * 3600
            for number in range(0 if share("none", day) < 0.07 else 2 if share("two", day) < 0.1 else 1):
                gone = share("gone", day, number) < 0.1 and self.clock.now > out + 7200
                found += [f"0.{30 + day}.{number}"] if out <= self.clock.now and not gone else []
        return found

    def at_night(self, since: float = 1.0) -> bool:
        """True from so many hours after midnight (the calendar begins at one) until ten."""
        return since <= (self.clock.now - self.begin) % DAY / 3600 < 10

    def offers(self) -> bool:
        """True when a job waits that any worker may take."""
        return self.rows.execute(f"{_WAITING} AND shared = 1 LIMIT 1").fetchone() is not None

    def nobody_there(self) -> bool:
        """True on days on which no shift is at work."""
        return int((self.clock.now - self.begin) // DAY) in self.away

    def passing(self, since: float, until: float) -> None:
        """Add up how many GPUs are in use and how many are idle while work waits."""
        if self.rows.execute(f"{_WAITING} LIMIT 1").fetchone() is not None:
            self.waiting_s += GPUS * (until - since)
            self.idle_s += (GPUS - self.busy) * (until - since)

    def _is_built(self, recipe: Recipe) -> bool:
        return self._built.get(recipe.hash, float("inf")) <= self.clock.now

    def run_cell(self, cell: Cell, bench: Any, run_id: str) -> RunResult:
        """What `matrix.app.run_cell` does, with an engine that takes its time and answers by a rule."""
        recipe, begun = adapter_for(cell.revision.engine).recipe(cell), self.clock.now
        ready = self._built.setdefault(recipe.hash, begun + _BUILD_S)
        self.clock.sleep(ready - begun)
        loan = bench.lend(1, cell.label, lambda text: None)
        self.busy += 1
        probe_s = 30 + (_PROBE_S - 30) * share("seconds", cell.target.name, cell.spec.name)
        self.clock.sleep(_START_S + probe_s)
        self.busy -= 1
        loan.release()
        self.starts[cell.content_key(recipe.text, PROBE_VERSION)] += 1
        return self._result(cell, recipe, run_id, begun, probe_s)

    def _result(self, cell: Cell, recipe: Recipe, run_id: str, begun: float, probe_s: float) -> RunResult:
        samples = [
            Sample(p.id, p.kind, 0, 1, self._counters(cell, p.id), 2.0, "text", "c" * 64) for p in cell.workload.prompts
        ]
        return RunResult(
            run_id,
            cell,
            cell.content_key(recipe.text, PROBE_VERSION),
            recipe.text,
            PROBE_VERSION,
            Outcome.OK,
            "",
            begun,
            self.clock.now,
            phases=(("start", _START_S), ("probe", probe_s)),
            samples=tuple(samples),
        )

    def _counters(self, cell: Cell, prompt: str) -> Counters:
        k, steps = cell.spec.k, 400
        if not k:
            return Counters(completion_tokens=32)
        accepted = int(steps * self._accepted(cell) * k**0.5 * (0.9 + 0.1 * share(prompt, cell.target.name)))
        return Counters(steps, k * steps, accepted, completion_tokens=steps + accepted)

    def _accepted(self, cell: Cell) -> float:
        """Old releases fall at one that the spec config decides; of the others one in thirty accepts less."""
        series, version = (cell.target.name, cell.spec.name), cell.revision.version
        if version.startswith("0.20."):
            return 0.2 if int(version.rpartition(".")[2]) > 1 + 60 * share("culprit", *series) else 0.8
        return 0.5 if share("fall", version, cell.spec.name) < 0.03 else 0.8

    @contextmanager
    def installed(self, clock: Clock) -> Iterator[None]:
        """In the place of the real world."""
        self.clock = clock
        lender = partial(gpus.Lender, devices=lambda: _DEVICES, uses=dict, settle_s=0.0, lease_s=1e9)
        replaced = {
            "time.time": clock.time,
            "time.sleep": clock.sleep,
            "matrix.executors.owner.of": lambda pid: f"host:{threading.current_thread().name}",
        }
        objects: list[tuple[Any, str, Any]] = [
            (owner, "alive", lambda who: True),
            (Claim, "pause", lambda claim, seconds: clock.sleep(seconds)),
            (job, "run_cell", self.run_cell),
            (job, "Lender", lender),
            (gpus, "WAIT_S", _WAIT_S),
            (sweep, "WAIT_S", _WAIT_S),
            (setup, "make_executor", lambda *_: self.executor),
            (worker, "make_executor", lambda *_: self.executor),
            (worker, "terms_from", lambda kept, stopping: replace(terms_from(kept, stopping), clock=clock.time)),
            (hardware, "detect", lambda: _HARDWARE),
            (hardware, "gpus", lambda: _SEEN),
            (package_index, "versions", self.versions),
            (pip_settings, "read", lambda *_: IndexSettings()),
        ]
        with ExitStack() as stack:
            for name, value in replaced.items():
                stack.enter_context(patch(name, value))
            for holder, name, value in objects:
                stack.enter_context(patch.object(holder, name, value))
            yield
