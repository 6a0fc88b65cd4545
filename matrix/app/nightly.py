"""The night shift: looks whether the calendar or a new revision asks for a sweep, and carries it out, once.

tick: left unfinished by a dead process? -> else due by the calendar? -> else a revision nobody tried? -> sweep -> tell
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from matrix.app.announce import announce
from matrix.app.bisect.auto import AutoTools, bisect_flips
from matrix.app.extra import ExtraBoots
from matrix.app.notifying import Notifying, Receivers
from matrix.app.planning import Plan
from matrix.app.room import make_room
from matrix.app.setup import Ready, prepare
from matrix.app.source import Source
from matrix.app.sweep import SweepOutcome, run_sweep
from matrix.app.terms import STOPPING, Terms
from matrix.app.trouble import Trouble
from matrix.core.errors import ConfigError, InfraError, MatrixError, Where
from matrix.core.ports import Progress
from matrix.executors import owner
from matrix.plan.config import Config
from matrix.plan.nightly import NightlyTable, due, following
from matrix.stats.words import count
from matrix.store import Priority, Store, open_store
from matrix.store.ticks import TickStatus

Say = Callable[[str], None]
_NAME = 255
"""Characters that the column holds."""


@dataclass(frozen=True, slots=True)
class Due:
    """A sweep that is asked for: `slot` names it for good (Unix seconds)."""

    slot: float
    why: str


@dataclass(slots=True)
class Shift:
    """One config file's nights. Keep one for as long as the service runs, and call `tick` again and again."""

    config: Path
    db: str
    executor: str | None
    progress: Progress
    say: Say
    stopping: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.time
    begun: float = field(init=False)
    _looked: float = field(init=False, default=float("-inf"))
    _trouble: Trouble = field(init=False, default_factory=Trouble)

    def __post_init__(self) -> None:
        self.begun = self.clock()
        if Source(self.config).config.nightly is None:
            where, hint = Where(str(self.config), key="nightly"), 'add `[nightly]` with `when = "0 2 * * *"`'
            raise ConfigError("this file asks for no nightly sweeps", hint=hint, where=where)

    @property
    def name(self) -> str:
        """Under which its ticks are stored: the file's whole path, by its end and a hash where that is very long."""
        path = str(self.config.resolve())
        return path if len(path) <= _NAME else f"{sha256(path.encode()).hexdigest()[:16]} {path[17 - _NAME :]}"

    def coming(self) -> float | None:
        """When the calendar names the next night (Unix seconds); None where it names none."""
        return following(Source(self.config).config.nightly or NightlyTable(), self.clock())

    def tick(self) -> bool:
        """Send the messages that wait, then carry out the one sweep that is due now; False when none is.

        What fails ends no service. A faulty edit of the file is told, and the night stored as failed. What the machine
        fails (a database that is away or locked, a full disk, an index out of reach) is told, and the night goes on
        after a pause, until its hours are over.
        """
        if not self._trouble.over():
            return False
        try:
            carried = self._tick()
        except (MatrixError, OSError) as error:
            if said := self._trouble.meet(error):
                self.say(said)
            return False
        self._trouble.end()
        return carried

    def _tick(self) -> bool:
        config = Source(self.config).config
        table = config.nightly or NightlyTable()
        store = open_store(self.db)
        try:
            self._notifying(store, config).deliver()
            found = self._due(table, store)
            number = store.ticks.begin(self.name, found.slot, found.why, owner.me(), _at_work) if found else None
            if found is None or number is None:
                return False
            self.say(f"sweeping {self.config.name}: {found.why}")
            self._carry_out(number, table, store)
            return True
        finally:
            store.close()

    def _due(self, table: NightlyTable, store: Store) -> Due | None:
        left = store.ticks.left_running(self.name, _at_work)
        if left is not None:
            return Due(left.slot, left.why)
        now = self.clock()
        self.begun = min(self.begun, now)  # the clock may have been set back
        last = store.ticks.last_slot(self.name, until=now)
        slot = due(table, last if last is not None else self.begun, now)
        if slot is not None:
            return Due(slot, "the calendar")
        if not table.on_new or 0 <= now - self._looked < 60 * table.poll_min:
            return None
        self._looked = now
        new = [] if store.ticks.at_work(self.name) else self._untried(store)
        return Due(now, f"new: {', '.join(new)}") if new else None

    def _untried(self, store: Store) -> list[str]:
        """Revisions of the plan that no run has ever tried; none, and the reason told, when it cannot be made."""
        try:
            with prepare(self.config, self.db, self.executor, (), force=False, create=True) as ready:
                return untried(ready.plan, store.queue.tried())
        except MatrixError as error:
            self.say(f"cannot look for new revisions: {error}")
            return []

    def _carry_out(self, number: int, table: NightlyTable, store: Store) -> None:
        status, sweep_id, note = TickStatus.FAILED, None, ""
        # What an earlier try of this process could not close while the database was away.
        store.queue.give_back(owner.me())
        store.sweeps.interrupt_lost(_at_work)
        try:
            with prepare(self.config, self.db, self.executor, (), force=False, create=True, say=self.say) as ready:
                self._make_room(ready)
                outcome = self._sweep(ready, terms_of(table, self.clock, self.stopping))
            sweep_id, note = outcome.sweep_id, summary(outcome)
            if outcome.why_left == STOPPING:
                self.say(f"stopped: {note}; the next start goes on")
                return  # left running by what will be a dead owner: that is how the next start finds it
            status = TickStatus.DONE
        except MatrixError as error:
            if isinstance(error, InfraError) and self._trouble.lasted() < 3600 * table.hours:
                raise  # left running, so that the next call of `tick` goes on
            note = str(error)
        self.say(note)
        store.ticks.finish(number, status, sweep_id=sweep_id, note=note)

    def _sweep(self, ready: Ready, terms: Terms) -> SweepOutcome:
        assert ready.store is not None  # noqa: S101 - made by `prepare(create=True)`
        outcome = run_sweep(ready.plan, ready.executor, ready.store, self.progress, ExtraBoots(self.say), terms)
        flips = ready.store.series.unannounced()
        notifying = self._notifying(ready.store, ready.plan.source.config)
        notifying.queue(flips)
        announce(ready.store, self.say)
        notifying.deliver()
        if ready.plan.source.config.bisect.auto and not self.stopping():
            bisect_flips(
                AutoTools(ready.plan.source, ready.executor, ready.store, self.progress, self.say, lambda text: None),
                {flip.flip_id for flip in flips},
            )
        return outcome

    def _make_room(self, ready: Ready) -> None:
        """Let artifacts give way to the disk budget; a night that cannot make room is swept all the same."""
        budget = ready.plan.source.config.artifacts.disk_bytes
        if budget is None or ready.store is None:
            return
        try:
            make_room(ready.store, budget, self.say)
        except (MatrixError, OSError) as error:
            self.say(f"no room was made on the disk: {error}")

    def _notifying(self, store: Store, config: Config) -> Notifying:
        return Notifying(store, Receivers(self.name, config.notify), self.say)


def _at_work(who: str) -> bool:
    """False also for this process: it looks for what is left over only when it carries out nothing itself."""
    return who != owner.me() and owner.alive(who)


def terms_of(table: NightlyTable, clock: Callable[[], float], stopping: Callable[[], bool]) -> Terms:
    """What one night that begins now may take."""
    return Terms(
        priority=Priority.NIGHTLY,
        shared=True,
        tries=table.tries,
        until=clock() + 3600 * table.hours,
        gpu_seconds=None if table.gpu_hours is None else 3600 * table.gpu_hours,
        stopping=stopping,
        clock=clock,
        patience_s=float("inf"),
    )


def untried(plan: Plan, tried: Collection[tuple[str, str]]) -> list[str]:
    """Revisions that the plan would run and that are not among those `tried`, (engine, version) each, in plan order."""
    asked = [p.cell.revision for p in plan.todo if p.to_build]
    return list(dict.fromkeys(str(r) for r in asked if (r.engine, r.version) not in tried))


def summary(outcome: SweepOutcome) -> str:
    """One line for the log and the status page."""
    parts = [f"{count(outcome.runs, 'run')}, {count(outcome.known, 'cell')} known before"]
    parts += [f"{outcome.infra} failed by the machine"] if outcome.infra else []
    parts += [f"{count(outcome.left, 'cell')} left: {outcome.why_left}"] if outcome.left else []
    return "; ".join(parts)
