"""One job of a sweep: the cell is run, and its run saved, while the claim is kept alive."""

import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from matrix.app.bench import Baseline, Bench, Limits
from matrix.app.boot import Boot
from matrix.app.claim import Claim
from matrix.app.gpus import Lender
from matrix.app.patience import patiently
from matrix.app.placing import Mirror, run_placed
from matrix.app.planned import gpu_count
from matrix.app.planning import Plan
from matrix.app.preflight import check_driver
from matrix.app.run_cell import run_cell
from matrix.app.secret_env import Secrets, secrets_of
from matrix.app.telling import Telling
from matrix.app.terms import FREE, Terms
from matrix.core.cell import Cell
from matrix.core.errors import InfraError, Where
from matrix.core.outcome import Outcome, Tier
from matrix.core.ports import Executor, Progress
from matrix.core.result import RunResult
from matrix.engines.registry import adapter_for
from matrix.executors.on_ray import RayExecutor
from matrix.sources import hardware
from matrix.store import ClaimLostError, Job, Store, redact

T = TypeVar("T")
_SLOT = "~"


def running(store: Store) -> Path:
    """Logs of runs under way lie here, in one folder for each sweep (`owner_of` it)."""
    return store.state_dir / "running"


def owner_of(folder: Path) -> str:
    """The process that a folder in `running` belongs to."""
    return folder.name.partition(_SLOT)[0]


@dataclass(frozen=True, slots=True)
class Hands:
    """What a sweep works with. `me` owns its claims; logs of runs under way lie in `scratch`, a folder of its own.

    `before` is called before a baseline is looked up: it waits for one that is under way.
    """

    plan: Plan
    executor: Executor
    store: Store
    progress: Progress
    me: str
    terms: Terms = FREE
    boot: Boot = field(default_factory=Boot)
    slot: str = field(default_factory=lambda: secrets.token_hex(4))
    before: Callable[[], None] = lambda: None
    secrets: Secrets = field(init=False, repr=False)
    _after: Mapping[str, Cell] = field(init=False, repr=False)
    _seconds: Mapping[str, float] = field(init=False, repr=False)

    @property
    def scratch(self) -> Path:
        return running(self.store) / f"{self.me}{_SLOT}{self.slot}"

    def __post_init__(self) -> None:
        plan = self.plan
        object.__setattr__(self, "secrets", secrets_of(plan.source))
        pairs = reversed([*pairwise(plan.todo)])  # of cells of one key the first counts
        object.__setattr__(self, "_after", {of.content_key: following.cell for of, following in pairs})
        each = zip((p.content_key for p in (*plan.todo, *plan.repeats)), plan.seconds, strict=True)
        object.__setattr__(self, "_seconds", dict(each))

    def expected(self, content_key: str) -> float:
        """Seconds that the plan expects of a cell; the longest of its cells for one that it does not list."""
        known = self._seconds.get(content_key)
        return max(self._seconds.values(), default=0.0) if known is None else known

    def keeps(self, job: Job) -> bool:
        """True when the plan's next cell is served by the very server of this one."""
        following = self._after.get(job.content_key)
        return following is not None and job.cell.shares_server(following)


def no_room(job: Job, hands: Hands) -> str:
    """Why the terms of its sweep leave no room for this claimed job; empty when they do.

    What others have begun is spent, to its expected end: workers that start together do not overdraw.
    """
    terms, spent = hands.terms, 0.0
    if terms.gpu_seconds is not None:
        spent = hands.store.queue.gpu_seconds(job.sweep_id, hands.expected, but=job.job_id)
    return terms.refusal(hands.expected(job.content_key), gpu_count(job.cell), spent)


def run_job(job: Job, hands: Hands) -> Outcome | None:
    """Run a claimed job's cell and save the run; the claim is given back when that fails.

    None, with the server stopped and nothing stored, when another worker took the job over meanwhile.
    """
    store, scratch = hands.store, hands.scratch
    claim = Claim(store, job.job_id, hands.me)
    try:
        _make(scratch)
        with claim.kept(stop=hands.boot.halt):
            result = _run(job, hands, claim)
        if claim.lost or not _patiently(job, hands, claim.held):
            _given_up(job, hands)
            return None
        _save(job, hands, result)
    except ClaimLostError:
        _given_up(job, hands)
        return None
    except BaseException:
        store.queue.release(job.job_id, hands.me)
        raise
    finally:
        if hands.boot.standing is None:  # else its log is still written to
            shutil.rmtree(scratch, ignore_errors=True)
    hands.progress.done(job.cell, result.outcome, redact(result.reason))
    return result.outcome


def _run(job: Job, hands: Hands, claim: Claim) -> RunResult:
    bench, run_id = _bench(job, hands, claim), secrets.token_hex(8)
    if isinstance(hands.executor, RayExecutor):
        return run_placed(job.cell, bench, run_id, Mirror(hands.store), claim.check)
    return run_cell(job.cell, bench, run_id)


def _given_up(job: Job, hands: Hands) -> None:
    """Another worker runs the cell: no server of ours may stand beside its."""
    hands.boot.stop()
    hands.progress.phase(job.cell, "lost", "another worker has taken this cell over; nothing of this run is stored")


def _make(scratch: Path) -> None:
    try:
        scratch.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "make it writable, or name another with MATRIX_HOME"
        where = Where(str(scratch))
        raise InfraError(f"no folder for logs can be made: {error.strerror}", hint=hint, where=where) from None


def _bench(job: Job, hands: Hands, claim: Claim) -> Bench:
    limits = hands.plan.source.config.limits
    return Bench(
        adapter=adapter_for(job.cell.revision.engine),
        executor=hands.executor,
        scratch=hands.scratch,
        limits=Limits(limits.start_s, limits.request_s),
        progress=Telling(hands.progress, claim),
        baseline=lambda cell: _patiently(job, hands, lambda: _baseline(hands, cell)),
        boot=hands.boot,
        keep=hands.keeps(job),
        ready=lambda cell: check_driver(cell, hardware.gpus()),
        lend=Lender(hands.store, pause=claim.pause).lend,
        secrets=hands.secrets,
    )


def _baseline(hands: Hands, cell: Cell) -> Baseline | None:
    hands.before()
    found = hands.store.runs.baseline_of(cell)
    return None if found is None else (found.run_id, tuple(found.samples), dict(found.noise))


def _save(job: Job, hands: Hands, result: RunResult) -> None:
    """Store the run with its log; one that the machine failed is tried again later when the sweep's terms say so."""
    store, secrets = hands.store, hands.secrets.values
    log = Path(result.log_path) if result.log_path else None
    ref, size = _patiently(job, hands, lambda: store.logs.keep(log, secrets=secrets) if log else (None, None))
    again = hands.terms.again_at(job.attempts) if result.outcome.tier is Tier.INFRA else None
    _patiently(
        job,
        hands,
        lambda: store.queue.finish(job.job_id, hands.me, result, log_ref=ref, log_bytes=size, again_at=again),
    )


def _patiently(job: Job, hands: Hands, act: Callable[[], T]) -> T:
    return patiently(act, hands.terms, lambda text: hands.progress.phase(job.cell, "save", redact(text)))
