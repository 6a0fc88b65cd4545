"""Runs a cell on a cluster from here: sent, followed, and its result and log taken home; only this side stores."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from matrix.app.bench import Bench
from matrix.app.gpus import LEASE_S
from matrix.app.placed import Event, Parcel, Phase, Placed, Refused, Returned, carry_out
from matrix.app.planned import gpu_count
from matrix.app.record import Record
from matrix.app.run_cell import failed, refused
from matrix.core.cell import Cell
from matrix.core.errors import InfraError, MatrixError
from matrix.core.result import RunResult
from matrix.executors import owner
from matrix.executors.on_ray import NodeLostError, RayExecutor
from matrix.store import Store

TRIES = 3
"""A cell that loses its node so often kills it more likely than not."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """Leases that show where Ray has put a cell. They decide nothing: where a row cannot be written there is none."""

    store: Store
    me: str = field(default_factory=owner.me)

    @contextmanager
    def shown(self, cell: Cell) -> Iterator[Callable[[Event | None], None]]:
        """Call what this yields with each event; the leases end with the block."""
        held: list[Placed] = []

        def heed(event: Event | None) -> None:
            if isinstance(event, Placed) and event.gpus:
                self._take(event, cell, held)
            elif event is not None and held:
                with suppress(InfraError):
                    self.store.leases.renew(held[0].host, held[0].gpus, self.me, LEASE_S)

        try:
            yield heed
        finally:
            for placed in held:
                with suppress(InfraError):
                    self.store.leases.release(placed.host, placed.gpus, self.me)

    def _take(self, placed: Placed, cell: Cell, held: list[Placed]) -> None:
        with suppress(InfraError):
            leases, number = self.store.leases, len(placed.gpus)
            took = leases.take(
                placed.host,
                placed.gpus,
                number,
                self.me,
                purpose=f"{cell.label} (Ray)",
                ttl_s=LEASE_S,
                is_alive=owner.alive,
            )
            held += [placed] if took is not None else []


def run_placed(
    cell: Cell, bench: Bench, run_id: str, mirror: Mirror, check: Callable[[], None] = lambda: None
) -> RunResult:
    """As `run_cell`, on a node that Ray chooses; where that was is among the notes on the artifact.

    A cell whose node is lost waits for another one, `TRIES` times in all. `check` is called again and again while it
    runs: what it raises ends the run there. The bench's executor must be a RayExecutor.
    """
    log = bench.scratch / f"{run_id}.log"
    record = Record(run_id, cell, bench.adapter.recipe(cell), bench.progress, log, bench.secrets)
    if (result := refused(record, bench)) is not None:
        return result
    baseline = None if cell.spec.is_baseline else bench.baseline(cell)
    executor = bench.executor
    assert isinstance(executor, RayExecutor)  # noqa: S101 - said above
    parcel = Parcel(cell, run_id, executor.there, bench.limits, bench.secrets, baseline)
    try:
        for _ in range(TRIES):
            try:
                return _followed(executor, parcel, bench, mirror, check)
            except NodeLostError as error:
                bench.progress.phase(cell, "wait", f"{error.cause}: the cell is queued again")
        cause = f"its node was lost {TRIES} times while the cell ran"
        raise InfraError(cause, hint="`ray status` and the logs of Ray say why; run the sweep again")
    except MatrixError as error:
        check()
        return failed(record, error)


def _followed(
    executor: RayExecutor, parcel: Parcel, bench: Bench, mirror: Mirror, check: Callable[[], None]
) -> RunResult:
    cell, place = parcel.cell, Placed("")
    bench.progress.phase(cell, "wait", "for a node of the Ray cluster")
    events = executor.stream(partial(carry_out, parcel), gpu_count(cell), cell.label)
    ended: Returned | Refused | None = None
    with closing(events), mirror.shown(cell) as heed:
        for event in events:
            check()
            heed(event)
            if isinstance(event, Placed):
                place = event
                bench.progress.phase(cell, "wait", f"placed on {place}")
            elif isinstance(event, Phase):
                bench.progress.phase(cell, event.phase, event.detail)
            elif isinstance(event, Returned | Refused):
                ended = event
    if isinstance(ended, Returned):
        return _at_home(ended, place, bench)
    if ended is not None:
        raise InfraError(ended.cause, hint=ended.hint)
    raise NodeLostError("its node ended the cell without a result")


def _at_home(returned: Returned, place: Placed, bench: Bench) -> RunResult:
    """The result with its log in a file of this host, and the place where it was measured."""
    result, path = returned.result, None
    if returned.log is not None:
        path = bench.scratch / f"{result.run_id}.server.log"
        path.write_bytes(zlib.decompress(returned.log))
    artifact = result.artifact
    if artifact is not None:
        artifact = replace(artifact, notes=(*artifact.notes, f"placed by Ray on {place}"))
    return replace(result, artifact=artifact, log_path=str(path) if path else None)
