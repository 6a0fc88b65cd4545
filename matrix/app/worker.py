"""A worker: takes cells of shared sweeps, one after the other, on the executor and hardware that it has."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from matrix.app.executors import Defaults, make_executor
from matrix.app.job import Hands, no_room, run_job
from matrix.app.planning import plan_cells
from matrix.app.source import Source
from matrix.app.staging import stage_models
from matrix.app.sweep import clear_up
from matrix.app.terms import Terms, terms_from
from matrix.core.outcome import Outcome
from matrix.core.ports import Executor, Progress
from matrix.executors import owner
from matrix.sources.hardware import detect
from matrix.store import Job, Store, state_dir_of


@dataclass(slots=True)
class Worker:
    """Helps the shared sweeps of one database. `executor` is `venv`, `docker`, or `auto` for what this host has."""

    store: Store
    db: str
    executor: str
    progress: Progress
    stopping: Callable[[], bool] = lambda: False
    hardware: str = field(default_factory=lambda: detect().label)
    _made: dict[tuple[str, str], Executor] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)
    _staged: set[str] = field(default_factory=set)
    _known: dict[int, tuple[Source, Terms]] = field(default_factory=dict)
    _unsure: bool = False
    """True from a claim until its end is stored: when that fails, the cell may be ours still."""

    def begin(self) -> list[str]:
        """Find the executors that this host has, and remove what killed processes left behind; a line for each thing.

        Raises EnvironmentMismatchError when the one that was asked for cannot work here.
        """
        names = ["venv", "auto"] if self.executor == "auto" else [self.executor]
        tables, folder = Defaults(), Path.cwd()
        found = {e.name: e for e in (make_executor(name, tables, folder, state_dir_of(self.db)) for name in names)}
        self._names = list(found)
        return [line for executor in found.values() for line in clear_up(executor, self.store)]

    def work(self) -> Outcome | None:
        """Run the most urgent cell that waits; None when none does, or when its sweep has no room for it."""
        if self.stopping():
            return None
        if self._unsure:
            self.store.queue.give_back(owner.me())
        self._unsure = True
        outcome = self._work()
        self._unsure = False
        return outcome

    def _work(self) -> Outcome | None:
        job = self.store.queue.claim_shared(owner.me(), self._names, self.hardware)
        if job is None:
            return None
        try:
            hands = self._hands(job)
            refused = bool(no_room(job, hands))
            if not refused:
                self._staged.update(stage_models(hands.plan.cells, self.progress, self._staged))
        except BaseException:
            self.store.queue.release(job.job_id, owner.me())
            raise
        if refused:
            self.store.queue.release(job.job_id, owner.me())  # its own process cancels it
            return None
        with hands.boot:
            return run_job(job, hands)

    def _hands(self, job: Job) -> Hands:
        """What the job's sweep was started with: its file's limits, its terms, and an executor of the same settings."""
        source, terms = self._begun(job.sweep_id)
        executor = self._executor(job.cell.executor, source)
        plan = plan_cells(source, executor, self.store, [job.cell])
        return Hands(plan, executor, self.store, self.progress, owner.me(), terms)

    def _begun(self, sweep_id: int) -> tuple[Source, Terms]:
        """What the sweep was started with, which never changes: read once for the cells of one sweep in a row."""
        if sweep_id not in self._known:
            sweep = self.store.sweeps.get(sweep_id)
            self._known = {
                sweep_id: (Source(Path(sweep.config), text=sweep.text), terms_from(sweep.terms, self.stopping))
            }
        return self._known[sweep_id]

    def _executor(self, name: str, source: Source) -> Executor:
        key = (name, source.text)
        if key not in self._made:
            folder = source.path.resolve().parent
            self._made[key] = make_executor(name, source.config, folder, state_dir_of(self.db))
        return self._made[key]
