"""Which job of a sweep is next; and the jobs of a sweep that a cluster runs, as many at once as it holds."""

import queue
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from matrix.app.bisect.abreast import end_threads
from matrix.app.boot import Boot
from matrix.app.job import Hands, no_room, run_job
from matrix.app.planned import gpu_count
from matrix.core.outcome import Outcome
from matrix.executors import owner
from matrix.executors.on_ray import RayExecutor
from matrix.store import Job

WAIT_S = 1.0


def next_job(sweep_id: int, hands: Hands) -> Job | None:
    """The sweep's next job, claimed. None when all that is left is under way or done, or the terms leave no room."""
    _take_back(hands)
    job = hands.store.queue.claim(hands.me, sweep_id)
    if job is not None and (why := no_room(job, hands)):
        hands.store.queue.release(job.job_id, hands.me)
        hands.store.queue.cancel_rest(sweep_id, why)
        return None
    return job


def _take_back(hands: Hands) -> None:
    """A worker that helps, or the sweep that is waited for, may have been killed: its cells wait again, and the servers
    that it left are stopped before they stand beside ours.
    """
    if hands.store.requeue_lost(owner.alive):
        hands.executor.reap()
        hands.store.leases.drop_dead(owner.alive)


@dataclass(slots=True)
class _Hand:
    """One job under way in a thread of its own; `first` are hands whose runs its own needs."""

    job: Job
    first: tuple["_Hand", ...]
    thread: threading.Thread = field(default_factory=threading.Thread)
    over: threading.Event = field(default_factory=threading.Event)
    outcome: Outcome | None = None
    error: BaseException | None = None

    @property
    def waits(self) -> bool:
        return not all(hand.over.is_set() for hand in self.first)

    def await_first(self) -> None:
        while self.waits:
            time.sleep(WAIT_S / 10)  # not a lock: an interruption must get through


def work_abreast(sweep_id: int, hands: Hands, executor: RayExecutor) -> list[Outcome]:
    """Claim and run until nothing waits. A draft's cell waits for its baseline where that is under way.

    When one fails, or on Ctrl-C, the others are interrupted, which gives their jobs back.
    """
    crew: list[_Hand] = []
    ended: queue.SimpleQueue[_Hand] = queue.SimpleQueue()
    outcomes: list[Outcome] = []
    try:
        while True:
            job = next_job(sweep_id, hands) if _has_room(crew, executor) else None
            if job is not None:
                _start(job, hands, crew, ended)
            elif crew:
                outcomes += _ended(crew, ended)
            elif hands.store.queue.pending(sweep_id):
                time.sleep(WAIT_S)
            else:
                return outcomes
    finally:
        end_threads([hand.thread for hand in crew])


def _has_room(crew: Sequence[_Hand], executor: RayExecutor) -> bool:
    """What waits for its baseline takes no room yet."""
    busy = [hand.job for hand in crew if not hand.waits]
    return not busy or len(busy) < executor.room(max(gpu_count(job.cell) for job in busy))


def _start(job: Job, hands: Hands, crew: list[_Hand], ended: "queue.SimpleQueue[_Hand]") -> None:
    base = job.cell.baseline
    first = [] if job.cell.spec.is_baseline else [h for h in crew if h.job.cell.spec.is_baseline]
    hand = _Hand(job, tuple(h for h in first if h.job.cell.baseline == base))
    own = replace(hands, boot=Boot(), slot=f"{hands.slot}-{job.job_id}", before=hand.await_first)

    def work() -> None:
        try:
            hand.outcome = run_job(job, own)
        except KeyboardInterrupt:
            hand.error = KeyboardInterrupt()
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            hand.error = error
        finally:
            hand.over.set()
            ended.put(hand)

    hand.thread = threading.Thread(target=work, name=f"job {job.job_id}")
    crew.append(hand)
    hand.thread.start()


def _ended(crew: list[_Hand], ended: "queue.SimpleQueue[_Hand]") -> list[Outcome]:
    """Wait for one; raises what it raised."""
    hand = ended.get()
    crew.remove(hand)
    hand.thread.join()
    if hand.error is not None:
        raise hand.error
    return [hand.outcome] if hand.outcome is not None else []
