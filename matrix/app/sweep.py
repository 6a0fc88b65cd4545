"""A sweep: reap what killed ones left, queue what is not measured, run it cell by cell, judge, boot again if asked."""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from matrix import __version__
from matrix.app.crew import WAIT_S, next_job, work_abreast
from matrix.app.expected import keep_expectations
from matrix.app.extra import ExtraBoots, Standing, first_asking, short_of_prompts
from matrix.app.job import Hands, owner_of, run_job, running
from matrix.app.judging import Judgements, judge_some
from matrix.app.planned import gpu_count
from matrix.app.planning import Plan, Planned, refreshed
from matrix.app.repeats import repeats
from matrix.app.secret_env import kept_text
from matrix.app.staging import stage_models
from matrix.app.terms import FREE, Terms
from matrix.app.thresholds import keep_thresholds
from matrix.core.outcome import Outcome, Tier
from matrix.core.ports import Executor, Progress
from matrix.executors import owner
from matrix.executors.on_ray import RayExecutor
from matrix.store import Store, SweepStatus


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What one sweep did: runs made, cells another run had measured, runs that the machine failed, runs that count.

    A run counts (`measured`) when a later sweep need not make it again. `left` are cells that the sweep's terms left no
    room for, and why.
    """

    sweep_id: int | None
    runs: int
    known: int
    infra: int
    measured: int
    left: int = 0
    why_left: str = ""

    @property
    def in_vain(self) -> bool:
        """True when runs were made and none of them counts, or when the machine failed any."""
        return self.infra > 0 or self.measured < min(self.runs, 1)


def run_sweep(
    plan: Plan,
    executor: Executor,
    store: Store,
    progress: Progress,
    extra: ExtraBoots | None = None,
    terms: Terms = FREE,
) -> SweepOutcome:
    """Carry out `plan`. On Ctrl-C the server is stopped, what was measured stays, and KeyboardInterrupt goes on.

    With `extra` cells are booted again: the plan's repeats, then series of the plan whose newest comparison is
    ambiguous and asks for it. Within `terms`: cells that they leave no room for are cancelled, with the reason.
    Raises InfraError when results cannot be stored.
    """
    clear_up(executor, store)
    keep_expectations(store, plan.source.config)
    keep_thresholds(store, plan.source.config, (p.cell for p in plan.cells))
    with _opened(Hands(plan, executor, store, progress, owner.me(), terms)) as sweep:
        sweep.run(plan.todo)
        if extra is not None:
            _boot_again(sweep, extra)
    return sweep.outcome()


def clear_up(executor: Executor, store: Store) -> list[str]:
    """Stop and remove what killed processes left behind, and close their sweeps; one line for each thing."""
    lines = executor.reap()
    store.requeue_lost(owner.alive)
    store.leases.drop_dead(owner.alive)
    lines += [f"sweep {number} was interrupted" for number in store.sweeps.interrupt_lost(owner.alive)]
    for folder in running(store).glob("*"):
        if not owner.alive(owner_of(folder)):
            shutil.rmtree(folder, ignore_errors=True)
    return lines


@dataclass(slots=True)
class _Sweep:
    """A sweep under way. It has no row in the database, and no number, until it runs something."""

    hands: Hands
    number: int | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    judged: Judgements | None = None

    def run(self, planned: Sequence[Planned]) -> list[Outcome]:
        """Run these, in this order; what another sweep measured meanwhile is not run again."""
        if not planned:
            return []
        stage_models(planned, self.hands.progress)
        self.judged = None
        store = self.hands.store
        self.number = self.number or self._open()
        terms = self.hands.terms
        rows = [(p.content_key, p.cell) for p in planned]
        store.queue.enqueue(self.number, rows, priority=terms.priority, shared=terms.shared, gpus=gpu_count)
        made = _work(self.number, self.hands)
        self.outcomes += made
        return made

    def left(self) -> tuple[int, str]:
        """How many cells were given up, and why."""
        return self.hands.store.queue.cancelled(self.number) if self.number is not None else (0, "")

    def judge(self) -> Judgements:
        """The series of the plan, judged as they are stored now."""
        if self.judged is None:
            self.judged = judge_some(self.hands.store, {p.cell.series_key for p in self.hands.plan.cells})
        return self.judged

    def close(self, status: SweepStatus) -> None:
        """End the sweep's row and judge, whatever happened."""
        store = self.hands.store
        if self.number is not None:
            store.queue.cancel_rest(self.number)
            store.sweeps.finish(self.number, status)
        self.judge()
        shutil.rmtree(self.hands.scratch, ignore_errors=True)

    def outcome(self) -> SweepOutcome:
        known = len(self.hands.plan.cells) - len(self.hands.plan.todo)
        infra = sum(1 for o in self.outcomes if o.tier is Tier.INFRA)
        measured = sum(1 for o in self.outcomes if o.measured)
        return SweepOutcome(self.number, len(self.outcomes), known, infra, measured, *self.left())

    def _open(self) -> int:
        plan = self.hands.plan
        request = {"config": str(plan.source.path), "executor": plan.executor, "cells": len(plan.todo)}
        request |= {"repeats": len(plan.repeats), "seconds": plan.seconds, "terms": self.hands.terms.kept}
        return self.hands.store.sweeps.create(
            request, kept_text(plan.source), owner=self.hands.me, tool_version=__version__
        )


@contextmanager
def _opened(hands: Hands) -> Iterator[_Sweep]:
    sweep, status = _Sweep(hands), SweepStatus.FAILED
    try:
        yield sweep
        status = SweepStatus.DONE
    except KeyboardInterrupt:
        status = SweepStatus.INTERRUPTED
        raise
    finally:
        sweep.close(status)


def _boot_again(sweep: _Sweep, extra: ExtraBoots) -> None:
    """The plan's repeats, chosen again now that their cells are judged; then boots for ambiguous series."""
    plan, store = sweep.hands.plan, sweep.hands.store
    judged = sweep.judge()
    if plan.repeats:
        due = {p.cell.revision.engine for p in plan.repeats}
        sweep.run(repeats(refreshed(plan.cells, store), store, plan.source.config.judge.repeats, due))
        judged = sweep.judge()
    if plan.source.config.judge.minutes:
        judged = _settle(sweep, extra, judged)
    for line in short_of_prompts(judged, plan):
        extra.say(line)


def _settle(sweep: _Sweep, extra: ExtraBoots, judged: Judgements) -> Judgements:
    """One round of boots at a time: the noise that one series shows may settle its siblings as well.

    A series that a round has brought no further is asked for no second one.
    """
    plan, store = sweep.hands.plan, sweep.hands.store
    ends = time.monotonic() + 60 * plan.source.config.judge.minutes
    done: set[Standing] = set()
    while (found := first_asking(judged, plan, store, done)) is not None:
        done.add(found.standing)
        if time.monotonic() >= ends:
            extra.say(f"{found.told}, for which this sweep has no time left ([judge] minutes)")
            break
        extra.say(found.told)
        extra.grow(len(found.boots))
        for planned in found.boots:
            if time.monotonic() >= ends or sweep.run([planned]) != [Outcome.OK]:
                break
        judged = judged | judge_some(store, found.asking)
    return judged


def _work(sweep_id: int, hands: Hands) -> list[Outcome]:
    """Claim and run until nothing waits. A cell that another sweep is measuring is waited for, not measured twice."""
    if isinstance(hands.executor, RayExecutor):
        return work_abreast(sweep_id, hands, hands.executor)
    outcomes = []
    with hands.boot:
        while True:
            job = next_job(sweep_id, hands)
            if job is not None:
                made = run_job(job, hands)
                outcomes += [made] if made is not None else []
            elif hands.store.queue.pending(sweep_id):
                hands.boot.stop()
                time.sleep(WAIT_S)
            else:
                return outcomes
