"""A sweep: reap what killed ones left, queue what is not measured, run it cell by cell, judge."""

import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from matrix import __version__
from matrix.app.bench import Baseline, Bench, Limits
from matrix.app.boot import Boot
from matrix.app.expected import keep_expectations
from matrix.app.judging import judge_all
from matrix.app.planning import Plan
from matrix.app.run_cell import run_cell
from matrix.app.staging import stage_models
from matrix.app.telling import Telling
from matrix.core.cell import Cell
from matrix.core.errors import InfraError, Where
from matrix.core.outcome import Outcome, Tier
from matrix.core.ports import Executor, Progress
from matrix.core.result import RunResult
from matrix.engines.registry import adapter_for
from matrix.executors import owner
from matrix.store import Job, Store, SweepStatus, redact, secret_values

HEARTBEAT_S = 15.0
WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What one sweep did: runs made, cells another run had measured, runs that the machine failed, runs that count.

    A run counts (`measured`) when a later sweep need not make it again.
    """

    sweep_id: int | None
    runs: int
    known: int
    infra: int
    measured: int

    @property
    def in_vain(self) -> bool:
        """True when runs were made and none of them counts, or when the machine failed any."""
        return self.infra > 0 or self.measured < min(self.runs, 1)


def run_sweep(plan: Plan, executor: Executor, store: Store, progress: Progress) -> SweepOutcome:
    """Carry out `plan`. On Ctrl-C the server is stopped, what was measured stays, and KeyboardInterrupt goes on.

    Raises InfraError when results cannot be stored.
    """
    clear_up(executor, store)
    me = owner.me()
    stage_models(plan)
    keep_expectations(store, plan.source.config)
    known = len(plan.cells) - len(plan.todo)
    if not plan.todo:
        judge_all(store)
        return SweepOutcome(None, 0, known, 0, 0)
    request = {"config": str(plan.source.path), "executor": plan.executor, "cells": len(plan.todo)}
    sweep_id = store.sweeps.create(request, plan.source.text, owner=me, tool_version=__version__)
    status = SweepStatus.FAILED
    try:
        store.queue.enqueue(sweep_id, [(p.content_key, p.cell) for p in plan.todo])
        outcomes = _work(sweep_id, me, _Hands(plan, executor, store, progress))
        status = SweepStatus.DONE
    except KeyboardInterrupt:
        status = SweepStatus.INTERRUPTED
        raise
    finally:
        store.queue.cancel_rest(sweep_id)
        store.sweeps.finish(sweep_id, status)
        judge_all(store)
        shutil.rmtree(_running(store) / me, ignore_errors=True)
    infra = sum(1 for o in outcomes if o.tier is Tier.INFRA)
    measured = sum(1 for o in outcomes if o.measured)
    return SweepOutcome(sweep_id, len(outcomes), known, infra, measured)


def clear_up(executor: Executor, store: Store) -> list[str]:
    """Stop and remove what killed processes left behind, and close their sweeps; one line for each thing."""
    lines = executor.reap()
    store.requeue_lost(owner.alive)
    lines += [f"sweep {number} was interrupted" for number in store.sweeps.interrupt_lost(owner.alive)]
    for folder in _running(store).glob("*"):
        if not owner.alive(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
    return lines


def _running(store: Store) -> Path:
    """Logs of runs under way lie here, in one folder for each process."""
    return store.state_dir / "running"


@dataclass(frozen=True, slots=True)
class _Hands:
    plan: Plan
    executor: Executor
    store: Store
    progress: Progress
    boot: Boot = field(default_factory=Boot)

    def keeps(self, job: Job) -> bool:
        """True when the plan's next cell is served by the very server of this one."""
        todo = self.plan.todo
        following = next((i + 1 for i, p in enumerate(todo) if p.content_key == job.content_key), len(todo))
        return following < len(todo) and job.cell.shares_server(todo[following].cell)


def _work(sweep_id: int, me: str, hands: _Hands) -> list[Outcome]:
    """Claim and run until nothing waits. A cell that another sweep is measuring is waited for, not measured twice."""
    outcomes = []
    with hands.boot:
        while True:
            job = hands.store.queue.claim(me, sweep_id)
            if job is not None:
                outcomes.append(_run_job(job, me, hands))
            elif hands.store.queue.pending(sweep_id):
                hands.boot.stop()
                hands.store.requeue_lost(owner.alive)  # the sweep that is waited for may have been killed meanwhile
                time.sleep(WAIT_S)
            else:
                return outcomes


def _run_job(job: Job, me: str, hands: _Hands) -> Outcome:
    store = hands.store
    run_id = secrets.token_hex(8)
    scratch = _running(store) / me
    try:
        _make(scratch)
        with _heartbeat(store, job, me):
            result = run_cell(job.cell, _bench(job, me, hands, scratch), run_id)
        _save(store, job, me, result)
    except BaseException:
        store.queue.release(job.job_id, me)
        raise
    finally:
        if hands.boot.standing is None:  # else its log is still written to
            shutil.rmtree(scratch, ignore_errors=True)
    hands.progress.done(job.cell, result.outcome, redact(result.reason))
    return result.outcome


def _make(scratch: Path) -> None:
    try:
        scratch.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "make it writable, or name another with MATRIX_HOME"
        where = Where(str(scratch))
        raise InfraError(f"no folder for logs can be made: {error.strerror}", hint=hint, where=where) from None


def _bench(job: Job, me: str, hands: _Hands, scratch: Path) -> Bench:
    limits = hands.plan.source.config.limits
    return Bench(
        adapter=adapter_for(job.cell.revision.engine),
        executor=hands.executor,
        scratch=scratch,
        limits=Limits(limits.start_s, limits.request_s),
        progress=Telling(hands.progress, hands.store, job.job_id, me),
        baseline=lambda cell: _baseline(hands.store, cell),
        boot=hands.boot,
        keep=hands.keeps(job),
    )


def _baseline(store: Store, cell: Cell) -> Baseline | None:
    found = store.runs.baseline_of(cell)
    return None if found is None else (found.run_id, tuple(found.samples), dict(found.noise))


def _save(store: Store, job: Job, me: str, result: RunResult) -> None:
    secrets = secret_values(job.cell.launch.env)
    ref, size = store.logs.keep(Path(result.log_path), secrets=secrets) if result.log_path else (None, None)
    store.queue.finish(job.job_id, me, result, log_ref=ref, log_bytes=size)


@contextmanager
def _heartbeat(store: Store, job: Job, me: str) -> Iterator[None]:
    """Renews the claim while a long phase says nothing."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(HEARTBEAT_S):
            with suppress(InfraError):
                store.queue.heartbeat(job.job_id, me)

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
