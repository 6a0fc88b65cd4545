"""GPUs for one server: leased in the database, found idle, held until the server has stopped."""

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from matrix.core.errors import EnvironmentMismatchError, InfraError, MatrixError
from matrix.core.recipe import Device
from matrix.executors import owner
from matrix.sources import gpu_use, hardware
from matrix.store import Store

LEASE_S, BEAT_S = 120.0, 15.0
"""A lease outlives eight missed beats; then, or when its owner is known to be dead, others may take its GPUs."""

SETTLE_S = 30.0
"""How long memory that nobody leased may stay in use: that of a server which was just stopped is freed late."""

WAIT_S = 1.0

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Loan:
    """`devices` are ours until `release`, which may be called twice. No devices: the executor chooses.

    `lost` is set when they are ours no longer before that: another run took them, or the database could not be told
    for so long that another may. What is measured then is measured beside somebody else's work.
    """

    devices: tuple[Device, ...] = ()
    release: Callable[[], None] = lambda: None
    lost: threading.Event = field(default_factory=threading.Event)
    _stops: list[Callable[[], object]] = field(default_factory=list)

    def when_lost(self, stop: Callable[[], object]) -> None:
        """Call `stop`, from another thread, as soon as the devices are lost."""
        if self.devices:
            self._stops.append(stop)
            if self.lost.is_set():
                self.lose()

    def lose(self) -> None:
        """The devices are another's now: stop what uses them."""
        self.lost.set()
        for stop in self._stops:
            with suppress(MatrixError):
                stop()


NO_LOAN = Loan()


def no_loan(count: int, purpose: str, note: Note) -> Loan:
    """For servers that need no GPU of this host, or whose GPUs nobody else uses."""
    return NO_LOAN


def visible_devices() -> tuple[Device, ...]:
    """The GPUs of this host that this process may use."""
    return gpu_use.devices(hardware.gpus(), os.environ.get("CUDA_VISIBLE_DEVICES"))


@dataclass(frozen=True, slots=True)
class Lender:
    """Lends GPUs of this host to servers of this process. What it asks of the host can be replaced."""

    store: Store
    host: str = field(default_factory=socket.gethostname)
    devices: Callable[[], tuple[Device, ...]] = visible_devices
    in_use: Callable[[], Mapping[str, str]] = gpu_use.in_use
    pause: Callable[[float], None] = time.sleep
    settle_s: float = SETTLE_S
    beat_s: float = BEAT_S
    lease_s: float = LEASE_S

    def lend(self, count: int, purpose: str, note: Note) -> Loan:
        """`count` GPUs that no other run and no other program uses. Waits while other runs hold too many.

        Raises EnvironmentMismatchError when the host has fewer, InfraError when other programs hold too many. Where no
        GPU of the host can be seen (another maker's) there is nothing to lease, and the executor chooses.
        """
        every = self.devices() if count else ()
        if not every:
            return NO_LOAN
        if count > len(every):
            cause = f"the cell needs {count} GPUs and this host has {len(every)} that may be used"
            raise EnvironmentMismatchError(cause, hint="run it on another host, or lower its parallel sizes")
        return self._loan(self._taken(every, count, purpose, note))

    def _taken(self, every: tuple[Device, ...], count: int, purpose: str, note: Note) -> tuple[Device, ...]:
        patience, told = self.settle_s, ""
        while True:
            foreign = self._foreign(every)
            idle = {d.index: d for d in every if d not in foreign}
            if len(idle) >= count:
                got = self.store.leases.take(
                    self.host, list(idle), count, owner.me(), purpose=purpose, ttl_s=self.lease_s, is_alive=owner.alive
                )
                if got is not None:
                    return tuple(idle[index] for index in got)
            elif patience <= 0:
                raise _occupied(count, len(every), foreign)
            else:
                patience -= WAIT_S
            now = f"waiting for {count} of {len(every)} GPUs"
            if now != told:
                note(now)
            told = now
            self.pause(WAIT_S)

    def _foreign(self, every: tuple[Device, ...]) -> dict[Device, str]:
        """Devices in use that no run has leased, and by whom."""
        leased = {lease.gpu for lease in self.store.leases.held(self.host)}
        used = self.in_use()
        return {d: used[d.uuid] for d in every if d.uuid in used and d.index not in leased}

    def _loan(self, devices: tuple[Device, ...]) -> Loan:
        numbers, me, stop = [d.index for d in devices], owner.me(), threading.Event()

        def release() -> None:
            if not stop.is_set():
                stop.set()
                self.store.leases.release(self.host, numbers, me)

        def beat() -> None:
            kept = time.monotonic()
            while not stop.wait(self.beat_s):
                held = self._renewed(numbers, me)
                kept = time.monotonic() if held else kept
                if not stop.is_set() and (held is False or time.monotonic() - kept > self.lease_s):
                    loan.lose()
                    return

        loan = Loan(devices, release)
        threading.Thread(target=beat, name="gpu lease", daemon=True).start()
        return loan

    def _renewed(self, numbers: list[int], me: str) -> bool | None:
        """Whether they are ours still; None where the database does not tell."""
        try:
            return self.store.leases.renew(self.host, numbers, me, self.lease_s)
        except InfraError:
            return None


def _occupied(count: int, every: int, foreign: Mapping[Device, str]) -> InfraError:
    listed = "; ".join(f"GPU {device.index} has {use}" for device, use in foreign.items())
    cause = f"{count} of {every} GPUs are needed and other programs use {len(foreign)}: {listed}"
    return InfraError(cause, hint="end them, or leave those GPUs out with CUDA_VISIBLE_DEVICES")
