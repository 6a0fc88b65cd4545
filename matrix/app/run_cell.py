"""The run of one cell, from recipe to result: the one path that sweeps, bisections and tests share.

recipe -> build -> serve -> ready (one finished generation) -> warm-up -> probe -> stop -> classify. Whatever fails
becomes the outcome of the result; only an interruption leaves as an exception, with the server stopped. Cells that
differ in their workload only may share a server (`matrix.app.boot`): the later ones begin at the warm-up.
"""

import time
from dataclasses import replace

from matrix.app.bench import Bench
from matrix.app.boot import Standing
from matrix.app.conclude import conclude
from matrix.app.gpus import NO_LOAN, Loan
from matrix.app.machine import blamed_on_machine
from matrix.app.measure import measure
from matrix.app.planned import gpu_count, share_of
from matrix.app.record import Record
from matrix.core.cell import Cell
from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError, MatrixError
from matrix.core.misfit import misfit
from matrix.core.oddity import Oddity
from matrix.core.outcome import Outcome
from matrix.core.ports import Server, ServerExit
from matrix.core.recipe import LaunchPlan, Placement
from matrix.core.result import Failure, RunResult
from matrix.core.workload import Workload
from matrix.probes.client import Client
from matrix.probes.faults import EngineFaultError, Fault, NotReadyError
from matrix.probes.readiness import wait_ready


def run_cell(cell: Cell, bench: Bench, run_id: str) -> RunResult:
    """One attempt at `cell`. Raises only KeyboardInterrupt and programming errors."""
    recipe = bench.adapter.recipe(cell)
    record = Record(run_id, cell, recipe, bench.progress, bench.scratch / f"{run_id}.log", bench.secrets)
    if (result := refused(record, bench)) is not None:
        return result
    try:
        standing = bench.boot.taken_over(cell)
        if standing is None:
            standing = _start(record, bench)
        else:
            _take_over(record, standing)
        return blamed_on_machine(_use(record, bench), bench.scratch, standing.loan)
    except MatrixError as error:
        return failed(record, error)


def refused(record: Record, bench: Bench) -> RunResult | None:
    """The result of a cell that cannot run, which is known before anything is built; None for others."""
    reason = bench.adapter.unsupported(record.cell) or misfit(record.cell)
    if reason is None:
        return None
    return record.result(Outcome.UNSUPPORTED, reason, Failure(Outcome.UNSUPPORTED, reason, signature="unsupported"))


def _start(record: Record, bench: Bench) -> Standing:
    """Build the artifact and start a server, which then stands in the bench's boot until its GPUs are lost."""
    bench.secrets.filled(record.cell.launch.env)  # before a long build, not after it
    with record.phase("build"):
        record.artifact = bench.executor.build(record.recipe, record.log, lambda text: _note(record, text))
    loan = _lent(record, bench)
    record.log = bench.scratch / f"{record.run_id}.server.log"
    try:
        with record.phase("start"):
            server = _serve(record, bench, loan)
            loan.when_lost(server.stop)
            standing = Standing(record.cell, record.run_id, server, record.artifact, record.log, loan)
            bench.boot.standing = standing
            return standing
    except BaseException:
        loan.release()
        raise


def _lent(record: Record, bench: Bench) -> Loan:
    """The GPUs that the server will need; time spent waiting for them is no part of its start."""
    count = gpu_count(record.cell)
    if not count:
        return NO_LOAN
    with record.phase("wait"):
        bench.ready(record.cell)
        return bench.lend(
            count,
            record.cell.label,
            lambda text: record.progress.phase(record.cell, "wait", text),
            share_of(record.cell),
        )


def _serve(record: Record, bench: Bench, loan: Loan) -> Server:
    def plan(place: Placement) -> LaunchPlan:
        launch = bench.adapter.launch(record.cell, replace(place, served_name=record.run_id))
        return replace(launch, env=bench.secrets.filled(launch.env), devices=loan.devices)

    assert record.artifact is not None  # noqa: S101 - built by `_start`
    return bench.executor.serve(record.artifact, record.cell, plan, record.run_id, record.log)


def _note(record: Record, text: str) -> None:
    record.progress.phase(record.cell, "build", text)


def _take_over(record: Record, standing: Standing) -> None:
    """Go on with the server of the cell before: its log holds this run too."""
    note = f"served by the server that run {standing.run_id} started"
    record.artifact = replace(standing.artifact, reused=True, notes=(*standing.artifact.notes, note))
    record.log, record.served = standing.log, True


def _use(record: Record, bench: Bench) -> RunResult:
    """Measure on the server that stands. It is stopped unless it is sound and wanted for the next cell."""
    standing = bench.boot.standing
    assert standing is not None  # noqa: S101 - started or taken over by `run_cell`
    kept, left = False, ""
    try:
        record.command = tuple(map(bench.secrets.hidden, standing.server.command))
        result = _watch(record, bench, standing)
        kept = bench.keep and record.sound
    finally:
        if not kept:
            with record.phase("stop"):
                left = bench.boot.stop()
    return _noted(replace(result, phases=tuple(record.phases.items()), finished_at=time.time()), left)


def _noted(result: RunResult, left: str) -> RunResult:
    """The run, with what its server left in use of the GPUs when it had stopped."""
    if not left:
        return result
    reason = f"{result.reason}; after its server had stopped, {left}"
    return replace(result, reason=reason, flags=(*result.flags, str(Oddity.MEMORY_KEPT)))


def _watch(record: Record, bench: Bench, standing: Standing) -> RunResult:
    names, server = bench.adapter.counters(record.cell), standing.server
    client = Client(server.url, standing.run_id, timeout_s=bench.limits.request_s, dialect=names.dialect)
    try:
        if not record.served:
            with record.phase("start"):
                wait_ready(client, server, deadline_s=bench.limits.start_s)
            record.served = True
        info = client.page(names.info) if names.info else ""
        measure(record, bench, client)
    except (NotReadyError, EngineFaultError) as error:
        return _engine_failed(record, bench, server, error)
    record.sound = True
    record.resolved = bench.adapter.resolved(record.log_text(), info)
    return conclude(record)


def _engine_failed(record: Record, bench: Bench, server: Server, error: NotReadyError | EngineFaultError) -> RunResult:
    """The server died, hung or answered nonsense: what its log says of a dead one, else what we saw ourselves."""
    ended = _ended(server, error)
    record.resolved = bench.adapter.resolved(record.log_text())
    failure = bench.adapter.classify(record.log_text(), served=record.served, exit_=ended, cell=record.cell)
    if ended is None and failure.signature.startswith("silent-exit"):
        failure = Failure(error.outcome, error.cause, error.hint, f"seen-{error.outcome}", failure.excerpt)
    failure = _under_load(record.cell.workload, failure)
    return record.result(failure.outcome, failure.reason, failure)


def _under_load(workload: Workload, failure: Failure) -> Failure:
    """The failure with the load that it happened under, since others may find the same server sound."""
    if workload.concurrency == 1:
        return failure
    return replace(failure, reason=f"{failure.reason} (at concurrency {workload.concurrency})")


def _ended(server: Server, error: NotReadyError | EngineFaultError) -> ServerExit | None:
    """How the server ended, if it did; a broken connection precedes the exit by a moment."""
    known = getattr(error, "exit_", None)
    patience = 5 if isinstance(error, EngineFaultError) and error.fault in (Fault.REFUSED, Fault.BROKEN) else 0.5
    deadline = time.monotonic() + patience
    while known is None and time.monotonic() < deadline:
        known = server.poll()
        time.sleep(0.1)
    return known


def failed(record: Record, error: MatrixError) -> RunResult:
    """The result of a run that ended by an error before or beside its server."""
    outcome, excerpt = Outcome.INFRA, ""
    if isinstance(error, BuildError):
        outcome, excerpt = Outcome.BUILD_FAILED, error.excerpt
    elif isinstance(error, EnvironmentMismatchError):
        outcome = Outcome.ENVIRONMENT
    elif not isinstance(error, InfraError):
        outcome = Outcome.CONFIG_ERROR
    cause, hint, excerpt = map(record.secrets.hidden, (error.cause, error.hint, excerpt))
    return record.result(outcome, cause, Failure(outcome, cause, hint, f"{outcome}", excerpt))
