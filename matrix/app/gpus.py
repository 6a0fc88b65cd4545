"""GPUs for one server: leased in the database, found idle, held until the server has stopped."""

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from matrix.app.preflight import Ours, kept, taken
from matrix.core.errors import EnvironmentMismatchError, InfraError, MatrixError
from matrix.core.recipe import Device
from matrix.executors import owner
from matrix.sources import gpu_use, hardware
from matrix.sources.gpu_use import Use
from matrix.store import Store

LEASE_S, BEAT_S = 120.0, 15.0
"""A lease outlives eight missed beats; then, or when its owner is known to be dead, others may take its GPUs."""

SETTLE_S = 30.0
"""How long memory may stay in use that nobody leased, or whose server was stopped: it is freed late."""

HELD_OFF = "not free again: "
"""How the purpose of a lease begins whose server has stopped and whose memory is not back."""

WAIT_S = 1.0

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Loan:
    """`devices` are ours until `release`, which may be called twice. No devices: the executor chooses.

    `release` waits for the memory to be back; where it is not, it says what is left, and keeps the devices off until
    it is.

    `lost` is set when they are ours no longer before that: another run took them, or the database could not be told
    for so long that another may. What is measured then is measured beside somebody else's work.
    """

    devices: tuple[Device, ...] = ()
    release: Callable[[], str] = lambda: ""
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


def no_loan(count: int, purpose: str, note: Note, share: float | None = None) -> Loan:
    """For servers that need no GPU of this host, or whose GPUs nobody else uses."""
    return NO_LOAN


def visible_devices() -> tuple[Device, ...]:
    """The GPUs of this host that this process may use."""
    return gpu_use.devices(hardware.gpus(), os.environ.get("CUDA_VISIBLE_DEVICES"))


@dataclass(frozen=True, slots=True)
class Lender:
    """Lends GPUs of this host to servers of this process. What it asks of the host can be replaced.

    `pause` passes time while GPUs are waited for and may end the wait by an exception, `rest` while memory comes back.
    """

    store: Store
    host: str = field(default_factory=socket.gethostname)
    devices: Callable[[], tuple[Device, ...]] = visible_devices
    uses: Callable[[], Mapping[str, Use]] = gpu_use.uses
    ours: Ours = owner.owns
    pause: Callable[[float], None] = time.sleep
    rest: Callable[[float], None] = time.sleep
    settle_s: float = SETTLE_S
    beat_s: float = BEAT_S
    lease_s: float = LEASE_S

    def lend(self, count: int, purpose: str, note: Note, share: float | None = None) -> Loan:
        """`count` GPUs that no other run and no other program uses, with `share` of their memory free (None: unknown).

        Waits while other runs hold too many. Raises EnvironmentMismatchError when the host has fewer, InfraError when
        other programs hold too many. Where no GPU of the host can be seen (another maker's) there is nothing to lease,
        and the executor chooses.
        """
        every = self.devices() if count else ()
        if not every:
            return NO_LOAN
        if count > len(every):
            cause = f"the cell needs {count} GPUs and this host has {len(every)} that may be used"
            raise EnvironmentMismatchError(cause, hint="run it on another host, or lower its parallel sizes")
        return self._loan(self._found(every, count, purpose, note, share))

    def _found(
        self, every: Sequence[Device], count: int, purpose: str, note: Note, share: float | None
    ) -> tuple[Device, ...]:
        patience, told = self.settle_s, ""
        while True:
            foreign = self._foreign(every, share)
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

    def _foreign(self, every: Sequence[Device], share: float | None) -> dict[Device, str]:
        """Devices that no server runs on and that can take none, and why."""
        leases = {lease.gpu: lease.purpose for lease in self.store.leases.held(self.host) if owner.alive(lease.owner)}
        used, found = self.uses(), {}
        for device in every:
            purpose, use = leases.get(device.index), used.get(device.uuid)
            if purpose is not None and purpose.startswith(HELD_OFF):
                found[device] = f"is {purpose}"
            elif purpose is None and use is not None and (why := taken(use, share, self.ours)):
                found[device] = why
        return found

    def _loan(self, devices: tuple[Device, ...]) -> Loan:
        lease = _Lease(self, devices)
        loan = Loan(devices, lease.release)
        threading.Thread(target=lease.beat, args=(loan,), name="gpu lease", daemon=True).start()
        return loan

    def renewed(self, numbers: list[int], me: str) -> bool:
        """Hold on to them; False where they are another's. Raises InfraError where the database does not tell."""
        return self.store.leases.renew(self.host, numbers, me, self.lease_s)

    def settled(self, devices: Sequence[Device]) -> str:
        """What is left in use of them after `settle_s`; empty as soon as their memory is back."""
        patience = self.settle_s
        while (left := self.left(devices)) and patience > 0:
            patience -= WAIT_S
            self.rest(WAIT_S)
        return left

    def left(self, devices: Sequence[Device]) -> str:
        """What is in use of them now."""
        used = self.uses()
        each = {d.index: kept(used[d.uuid]) for d in devices if d.uuid in used}
        return "; ".join(f"GPU {index} has {text}" for index, text in each.items() if text)


@dataclass(slots=True)
class _Lease:
    """Rows of the database that say that the devices are ours; `left` is what their server left in use."""

    lender: Lender
    devices: tuple[Device, ...]
    me: str = field(default_factory=owner.me)
    over: threading.Event = field(default_factory=threading.Event)
    lost: bool = False
    left: str | None = None

    @property
    def numbers(self) -> list[int]:
        return [device.index for device in self.devices]

    def release(self) -> str:
        """See `Loan.release`. What interrupts the wait for the memory gives the devices back at once."""
        if self.left is None and not self.over.is_set():
            try:
                self.left = "" if self.lost else self.lender.settled(self.devices)
            finally:
                if self.left:
                    self._keep_off()
                else:
                    self._give_back()
        return self.left or ""

    def beat(self, loan: Loan) -> None:
        """Renew until the devices are given back, which is done here where their memory comes back late."""
        since = time.monotonic()
        while not self.over.wait(self.lender.beat_s):
            held = self._renewed()
            since = time.monotonic() if held else since
            if not self.over.is_set() and (held is False or time.monotonic() - since > self.lender.lease_s):
                self.lost = True
                loan.lose()
                return
            if self.left and not self.lender.left(self.devices):
                self._give_back()

    def _keep_off(self) -> None:
        with suppress(InfraError):  # only what others read of it is at stake
            self.lender.store.leases.repurpose(self.lender.host, self.numbers, self.me, f"{HELD_OFF}{self.left}")

    def _give_back(self) -> None:
        """A database that is away must not cost the run: what is renewed no more lapses by itself."""
        self.over.set()
        with suppress(InfraError):
            self.lender.store.leases.release(self.lender.host, self.numbers, self.me)

    def _renewed(self) -> bool | None:
        """Whether they are ours still; None where the database does not tell."""
        try:
            return self.lender.renewed(self.numbers, self.me)
        except InfraError:
            return None


def _occupied(count: int, every: int, foreign: Mapping[Device, str]) -> InfraError:
    listed = "; ".join(f"GPU {device.index} {why}" for device, why in foreign.items())
    cause = f"{count} of {every} GPUs are needed and {len(foreign)} cannot be used: {listed}"
    return InfraError(cause, hint="wait until they are free, or exclude those GPUs with CUDA_VISIBLE_DEVICES")
