"""Ready is one finished generation of our own model, and nothing less."""

import time
from dataclasses import dataclass

import pytest

from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.probes.client import Client
from matrix.probes.faults import NotReadyError
from matrix.probes.readiness import wait_ready
from tests.fakes.engine import FakeEngine
from tests.probes.conftest import Start, client_of


@dataclass
class Process:
    """A server that ends after some polls, or with its engine."""

    polls: int | None = None
    engine: FakeEngine | None = None
    exit_: ServerExit | None = None

    def poll(self) -> ServerExit | None:
        if self.engine and self.engine.ended is not None:
            return ServerExit(self.engine.ended)
        if self.polls is None:
            return None
        self.polls -= 1
        return self.exit_ if self.polls < 0 else None


def test_waits_for_loading_to_end(start: Start) -> None:
    engine = start(load_s=0.6)
    assert 0.4 < wait_ready(client_of(engine), Process()) < 3
    assert engine.served == 1


def test_health_alone_is_not_ready(start: Start) -> None:
    engine = start(mode="never-ready")
    with pytest.raises(NotReadyError, match=r"after 0.4 s: .*503: .*still loading") as caught:
        wait_ready(client_of(engine), Process(), deadline_s=0.4)
    assert caught.value.outcome is Outcome.HANG and caught.value.exit_ is None


def test_another_server_on_the_port_is_not_ours(start: Start) -> None:
    engine = start(mode="mismatch")
    with pytest.raises(NotReadyError, match="serves 'somebody-else' and not 'tiny'"):
        wait_ready(client_of(engine), Process(), deadline_s=0.4)
    assert engine.served == 0


def test_death_while_loading_ends_the_wait() -> None:
    process = Process(polls=2, exit_=ServerExit(137, oom=True, detail="container exceeded 8 GiB"))
    start = time.monotonic()
    with pytest.raises(NotReadyError, match=r"exit status 137, killed for memory .*8 GiB") as caught:
        wait_ready(Client("http://127.0.0.1:9", "tiny"), process, deadline_s=60)
    assert time.monotonic() - start < 5
    assert caught.value.outcome is Outcome.LOAD_CRASH and caught.value.exit_ == process.exit_


def test_death_in_the_first_generation_is_noticed_though_its_exit_status_is_zero(start: Start) -> None:
    engine = start(mode="dies", exit_code=0)
    with pytest.raises(NotReadyError, match="exit status 0") as caught:
        wait_ready(client_of(engine), Process(engine=engine), deadline_s=30)
    assert caught.value.outcome is Outcome.LOAD_CRASH


def test_hang_in_the_first_generation_ends_at_the_deadline(start: Start) -> None:
    with pytest.raises(NotReadyError, match="no complete answer") as caught:
        wait_ready(client_of(start(mode="hang")), Process(), deadline_s=0.5)
    assert caught.value.outcome is Outcome.HANG


@pytest.mark.parametrize("mode", ["garbage", "wrong-shape", "empty"])
def test_garbage_is_given_up_long_before_the_deadline(start: Start, mode: str) -> None:
    began = time.monotonic()
    with pytest.raises(NotReadyError, match="answers, but with no generation") as caught:
        wait_ready(client_of(start(mode=mode)), Process(), deadline_s=600)
    assert time.monotonic() - began < 10
    assert caught.value.outcome is Outcome.LOAD_CRASH


def test_errors_while_warming_up_are_waited_out(start: Start) -> None:
    engine = start(mode="status", status=503)
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 8:
            engine.script.mode = "ok"

    wait_ready(client_of(engine), Process(), sleep=sleep)
    assert len(pauses) == 8 and pauses == sorted(pauses) and max(pauses) <= 0.5


def test_ctrl_c_passes_through(start: Start) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait_ready(client_of(start(mode="never-ready")), Process(), sleep=interrupt)
