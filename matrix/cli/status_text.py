"""Nights, workers, leases, holds and messages in words, a line each."""

from collections.abc import Iterator

from matrix.app.at_work import LOST, AtWork, TickView
from matrix.cli.moments import moment


def lines(view: AtWork) -> Iterator[str]:
    """What there is; a service without nights, workers and messages has no line."""
    for tick in view.ticks[:1]:
        yield _tick(tick)
    for worker in view.workers:
        what = "ended while it held" if worker.status == LOST else f"is in {worker.phase or 'its first phase'} of"
        yield f"worker {worker.process} {what} {worker.cell} (sweep {worker.sweep})"
    for lease in view.leases:
        why = f"lost by {lease.process}" if lease.status == LOST else f"held for {lease.purpose}"
        yield f"GPU {lease.gpu} of {lease.host}: {why}"
    for hold in view.holds:
        yield f"kept: {hold.kind} {hold.ref}: {hold.reason}"
    for message in view.messages:
        again = f", tried again at {moment(message.next_at)}" if message.next_at is not None else ""
        error = f": {message.error}" if message.error else ""
        yield f"message {message.message_id} to {message.notifier} {message.status}{again}{error}"


def _tick(tick: TickView) -> str:
    end = f": {tick.note}" if tick.note else ""
    at = moment(tick.begun_at)
    return f"night of {tick.schedule}: {tick.status}, begun {at} for {tick.why}{end}"
