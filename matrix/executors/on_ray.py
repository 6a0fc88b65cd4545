"""An existing Ray cluster, which chooses the node that builds and serves a cell."""

import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, InfraError
from matrix.core.ports import Executor, Server
from matrix.core.recipe import Artifact, LaunchPlan, Placement, Recipe

T = TypeVar("T")
Work = Callable[[tuple[int, ...]], Iterator[T]]
"""Given the numbers of the GPUs that Ray has set aside for it."""

LOOK_S, END_S, ASK_S = 0.5, 60.0, 120.0
_REACH_S = 10.0


class NodeLostError(InfraError):
    """The node, or the Ray worker process on it, ended before the cell did."""


@dataclass(frozen=True, slots=True)
class Wants:
    """What one cell asks of the cluster, beside its GPUs."""

    address: str = "auto"
    cpus: float = 1
    resources: Mapping[str, float] = field(default_factory=dict)

    def resources_of(self, gpus: int) -> dict[str, float]:
        """All of it by Ray's names, without what is zero."""
        every = {"CPU": self.cpus, "GPU": float(gpus), **self.resources}
        return {name: amount for name, amount in every.items() if amount}


class RayExecutor:
    """Stands for executors on the nodes of a cluster: `there` makes one on the node where it is called.

    Its name is theirs, since where a cell is placed does not change what it measures. Nothing is built or served by
    this process: a whole cell is sent (`stream`).
    """

    def __init__(self, name: str, wants: Wants, there: Callable[[], Executor]) -> None:
        self.name = name
        self.there = there
        self._wants = wants
        self._joined: Any = None
        self._joining = threading.Lock()

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        raise InfraError("nothing is built ahead on a Ray cluster", hint="each node builds what its cells need")

    def built(self, recipe: Recipe) -> bool:
        """False: what the nodes hold is not known here."""
        return False

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> Server:
        raise InfraError("a Ray cluster serves whole cells alone", hint="run them by `matrix sweep`")

    def reap(self) -> list[str]:
        """What killed processes left behind is removed on every node; one that dies meanwhile is left out."""
        ray = self._ray()
        asked = [self._at(node, partial(_reap, self.there)) for node in self._nodes({})]
        found, _ = ray.wait(asked, num_returns=len(asked), timeout=ASK_S) if asked else ([], [])
        lines: list[str] = []
        for answer in found:
            with suppress(ray.exceptions.RayError):
                lines += ray.get(answer)
        return lines

    def ask(self, question: Callable[[], T], gpus: int) -> T:
        """The answer of a node that could take such a cell, busy or not. InfraError when there is none."""
        ray = self._ray()
        try:
            answer: T = ray.get(self._at(self._fitting(gpus)[0], question), timeout=ASK_S)
        except (ray.exceptions.RayError, TimeoutError) as error:
            raise _explained(error, ray) from error
        return answer

    def room(self, gpus: int) -> int:
        """How many such cells the cluster holds at once, when nobody else uses it; at least 1."""
        needs, nodes = self._wants.resources_of(gpus), self._nodes({})
        each = [min((int(has.get(name, 0) / n) for name, n in needs.items()), default=1) for has in nodes.values()]
        return max(1, sum(each))

    def stream(self, work: Work[T], gpus: int, name: str) -> Generator[T | None, None, None]:
        """What `work` yields where Ray places it, and None now and then while it yields nothing.

        NodeLostError when its node is lost, InfraError when no node could ever take it or its code fails there. Left
        early, the work is cancelled and waited for; read it to its end where that is not meant.
        """
        ray = self._ray()
        self._fitting(gpus)
        how = {"num_cpus": self._wants.cpus, "num_gpus": gpus, "resources": dict(self._wants.resources)}
        task = ray.remote(_yielding).options(**how, max_retries=0, num_returns="streaming", name=name)
        running = task.remote(work)
        over = False
        try:
            while True:
                ready, _ = ray.wait([running], timeout=LOOK_S)
                yield ray.get(next(running)) if ready else None
        except StopIteration:
            over = True
        except ray.exceptions.RayError as error:
            over = True
            raise _explained(error, ray) from error
        finally:
            if not over:
                _cancel(ray, running)

    def _at(self, node: str, question: Callable[[], T]) -> Any:
        ray = self._ray()
        affinity = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        return ray.remote(_answer).options(num_cpus=0, scheduling_strategy=affinity, max_retries=0).remote(question)

    def _fitting(self, gpus: int) -> list[str]:
        needs = self._wants.resources_of(gpus)
        if not (found := list(self._nodes(needs))):
            listed = ", ".join(f"{name} {amount:g}" for name, amount in sorted(needs.items()))
            hint = "`ray status` lists what they have; [ray] resources and cpus say what is asked for"
            raise InfraError(f"no node of the Ray cluster has {listed}", hint=hint)
        return found

    def _nodes(self, needs: Mapping[str, float]) -> dict[str, Mapping[str, float]]:
        """Resources of the living nodes that have as much as that, by node id."""
        alive = {node["NodeID"]: node["Resources"] for node in self._ray().nodes() if node["Alive"]}
        return {key: has for key, has in alive.items() if all(has.get(name, 0) >= n for name, n in needs.items())}

    def _ray(self) -> Any:
        with self._joining:
            if self._joined is None:
                self._joined = _join(self._wants.address)
            return self._joined


def _join(address: str) -> Any:
    """Ray, connected to the cluster. ConfigError without Ray, InfraError where no cluster answers."""
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        hint = "pip install 'specmatrix[ray]', here and on every node"
        raise ConfigError("the executor `ray` needs Ray, which is not installed", hint=hint) from None
    _reach(address)
    try:
        with _own_signals():
            ray.init(address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.CRITICAL)
            # Else the last lines of a lost node's log go to our standard output; Ray has no public switch for them.
            ray._private.worker._worker_logs_enabled = False
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        cause = f"no Ray cluster answers at `{address}`: {error}"
        raise InfraError(cause, hint="`ray start --head` begins one; [ray] address names another") from error
    return ray


def _reach(address: str) -> None:
    """InfraError where nobody listens at `HOST:PORT`: Ray itself would try for minutes."""
    host, mark, port = address.rpartition(":")
    if not mark:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_S).close()
    except OSError as error:
        cause = f"no Ray cluster answers at `{address}`: {error.strerror or error}"
        raise InfraError(cause, hint="`ray start --head` begins one; [ray] address names another") from error


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray takes SIGTERM for itself, by which a service is asked to finish."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _explained(error: BaseException, ray: Any) -> InfraError:
    told = (str(error).strip() or type(error).__name__).splitlines()[-1]
    if isinstance(error, ray.exceptions.RayTaskError):
        hint = "every node needs this release of specmatrix[ray], in the environment that Ray runs in"
        return InfraError(f"the work failed on its node: {told}", hint=hint)
    return NodeLostError(f"its node was lost ({type(error).__name__})", hint="`ray status` lists the nodes")


def _cancel(ray: Any, running: Any) -> None:
    """Interrupt the work, which stops its server, and see it end.

    Not where it has ended: Ray 2.60 aborts this process when a task is cancelled that is just being completed.
    """
    ends = time.monotonic() + END_S
    with suppress(ray.exceptions.RayError, StopIteration):
        if ray.wait([running.completed()], timeout=0)[0]:
            return
        ray.cancel(running)
        while time.monotonic() < ends:
            if ray.wait([running], timeout=LOOK_S)[0]:
                ray.get(next(running))


def _answer(question: Callable[[], T]) -> T:
    return question()


def _yielding(work: Work[T]) -> Iterator[T]:
    import ray

    yield from work(tuple(int(number) for number in ray.get_gpu_ids() if str(number).isdecimal()))


def _reap(there: Callable[[], Executor]) -> list[str]:
    return there().reap()
