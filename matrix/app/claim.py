"""The claim on a job while its cell runs: kept alive, and its run ended when another worker has taken it over."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from matrix.core.errors import InfraError, MatrixError
from matrix.store import ClaimLostError, Store

HEARTBEAT_S = 15.0


@dataclass(slots=True)
class Claim:
    """Job `job_id` is `owner`'s until `lost`. What a run measures after that belongs to nobody and is not stored."""

    store: Store
    job_id: int
    owner: str
    beat_s: float = field(default_factory=lambda: HEARTBEAT_S)
    _lost: threading.Event = field(default_factory=threading.Event)

    @property
    def lost(self) -> bool:
        """True once the database has said that another holds the job."""
        return self._lost.is_set()

    def tell(self, phase: str, detail: str = "") -> None:
        """Note the phase in the job's row.

        A database in trouble is no reason to end the run: saving it tells of that.
        """
        with suppress(InfraError):
            self._heed(self.store.queue.set_phase(self.job_id, self.owner, phase, detail))

    def held(self) -> bool:
        """Ask once more whether the job is ours; raises InfraError when the database does not answer."""
        self._heed(self.store.queue.heartbeat(self.job_id, self.owner))
        return not self.lost

    def check(self) -> None:
        """Raises ClaimLostError when the job is another's."""
        if self.lost:
            raise ClaimLostError("another worker has taken this cell over", hint="its run is stored there")

    def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the claim lasts; raises ClaimLostError as `check` does."""
        self._lost.wait(seconds)
        self.check()

    @contextmanager
    def kept(self, stop: Callable[[], object]) -> Iterator[None]:
        """Renew the claim while a long phase says nothing; call `stop` from another thread as soon as it is lost."""
        over = threading.Event()

        def beat() -> None:
            while not self.lost and not over.wait(self.beat_s):
                with suppress(InfraError):
                    self.held()
            if self.lost:
                with suppress(MatrixError):
                    stop()

        thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _heed(self, ours: bool) -> None:
        if not ours:
            self._lost.set()
