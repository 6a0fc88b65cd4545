"""A whole cell on the node of a cluster where it was placed: what is sent there, and what comes back while it runs."""

import queue
import socket
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from matrix import __version__
from matrix.app.bench import Baseline, Bench, Limits
from matrix.app.bisect.abreast import end_threads
from matrix.app.boot import Boot
from matrix.app.gpus import Loan, Note, visible_devices
from matrix.app.planned import gpu_count, planned
from matrix.app.preflight import check_driver
from matrix.app.run_cell import run_cell
from matrix.app.secret_env import Secrets
from matrix.app.staging import stage_models
from matrix.core.cell import Cell
from matrix.core.errors import InfraError, MatrixError
from matrix.core.outcome import Outcome
from matrix.core.ports import Executor
from matrix.core.result import RunResult
from matrix.engines.registry import adapter_for
from matrix.sources import hardware

BEAT_S = 15.0


@dataclass(frozen=True, slots=True)
class Parcel:
    """All that a cell's run needs away from the database. `there` makes the executor of the node that calls it."""

    cell: Cell
    run_id: str
    there: Callable[[], Executor]
    limits: Limits
    secrets: Secrets = field(repr=False)
    baseline: Baseline | None
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Placed:
    """The cell runs on `host`, on these of its GPUs; none on the CPU."""

    host: str
    gpus: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.host}, GPU {', '.join(map(str, self.gpus))}" if self.gpus else self.host


@dataclass(frozen=True, slots=True)
class Phase:
    """What a run tells its `Progress`."""

    phase: str
    detail: str


@dataclass(frozen=True, slots=True)
class Beat:
    """The run goes on and has nothing to tell."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The run has ended; its log is packed by zlib, None where there is none."""

    result: RunResult
    log: bytes | None


@dataclass(frozen=True, slots=True)
class Refused:
    """The node cannot run the cell, and why."""

    cause: str
    hint: str


Event = Placed | Phase | Beat | Returned | Refused


def carry_out(parcel: Parcel, gpus: tuple[int, ...]) -> Iterator[Event]:
    """Run the cell here, on the GPUs of these numbers. The first event is Placed, the last one Returned or Refused.

    A run that nobody waits for any more is interrupted, and its server stopped.
    """
    yield Placed(socket.gethostname(), gpus)
    devices = visible_devices() if gpu_count(parcel.cell) else ()  # of them Ray shows this process its own alone
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    thread = threading.Thread(target=_run, args=(parcel, Loan(devices), events.put), name="cell", daemon=True)
    thread.start()
    try:
        while True:
            try:
                event = events.get(timeout=BEAT_S)
            except queue.Empty:
                event = Beat()
            yield event
            if isinstance(event, Returned | Refused):
                return
    finally:
        end_threads([thread])


@dataclass(frozen=True, slots=True)
class _Telling:
    """Progress that is told elsewhere."""

    put: Callable[[Event], None]

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        self.put(Phase(phase, detail))

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        """The result says it."""


def _run(parcel: Parcel, loan: Loan, put: Callable[[Event], None]) -> None:
    try:
        put(_ran(parcel, loan, put))
    except MatrixError as error:
        put(Refused(str(error.cause), error.hint))
    except OSError as error:
        put(Refused(f"{type(error).__name__}: {error}", "look at the node's disk"))
    except KeyboardInterrupt:
        return
    except BaseException as error:
        put(Refused(f"{type(error).__name__}: {error}", "an error of specmatrix itself"))
        raise


def _ran(parcel: Parcel, loan: Loan, put: Callable[[Event], None]) -> Returned:
    telling = _Telling(put)
    _check(parcel)
    stage_models([planned(parcel.cell)], telling)
    _see_weights(parcel.cell)

    def lend(count: int, purpose: str, note: Note, share: float | None = None) -> Loan:
        return loan

    with tempfile.TemporaryDirectory(prefix="specmatrix-") as folder, Boot() as boot:
        bench = Bench(
            adapter=adapter_for(parcel.cell.revision.engine),
            executor=parcel.there(),
            scratch=Path(folder),
            limits=parcel.limits,
            progress=telling,
            baseline=lambda cell: parcel.baseline,
            boot=boot,
            ready=lambda cell: check_driver(cell, hardware.gpus()),
            lend=lend,
            secrets=parcel.secrets,
        )
        bench.executor.reap()
        result = run_cell(parcel.cell, bench, parcel.run_id)
        log = Path(result.log_path) if result.log_path else None
        return Returned(result, zlib.compress(log.read_bytes(), 1) if log else None)


def _check(parcel: Parcel) -> None:
    """Raises InfraError on a node of another release of ours, or of other hardware than the cell is for."""
    host = socket.gethostname()
    if parcel.version != __version__:
        cause = f"{host} has specmatrix {__version__}, and the cell was sent by {parcel.version}"
        raise InfraError(cause, hint="install the same release on every node")
    here, wanted = hardware.detect().label, parcel.cell.hardware.label
    if here != wanted:
        cause = f"Ray placed a cell for `{wanted}` on {host}, which is `{here}`"
        raise InfraError(cause, hint="let [ray] resources name one hardware class, and declare it on its nodes alone")


def _see_weights(cell: Cell) -> None:
    for model in (cell.target, cell.spec.draft):
        if model is not None and model.path and not Path(model.path).is_dir():
            cause = f"{socket.gethostname()} has no folder {model.path} ({model.name})"
            raise InfraError(cause, hint="put models where every node sees them under the same path")
