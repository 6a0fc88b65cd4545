"""GPUs are lent to one server at a time, found idle, and given back when it stops."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.gpus import HELD_OFF, Lender
from matrix.app.preflight import check_driver, taken
from matrix.app.run_cell import run_cell
from matrix.core.cell import Cell
from matrix.core.errors import EnvironmentMismatchError, InfraError
from matrix.core.hardware import Hardware
from matrix.core.oddity import Oddity
from matrix.core.outcome import Outcome
from matrix.core.recipe import Device
from matrix.executors import owner
from matrix.sources.gpu_use import Holder, Use
from matrix.sources.hardware import Gpus
from matrix.store import Store
from matrix.store.leases import Lease
from tests.app.build import FakeExecutor, bench, cell
from tests.databases import on_both
from tests.fakes.engine import Script

TWO = (Device(0, "GPU-a"), Device(1, "GPU-b"))
FREE = Use(0.2, 140.0)
PURPOSE = "a run"
H200S = Hardware("cpu", 8, "NVIDIA H200", 2, "595.58", "13.2", "9.0", "2.36", "3.12.4")


@pytest.fixture
def store(stored: Store) -> Store:
    return stored


def python(gib: float | None, pid: int = 4711) -> Use:
    """A GPU that another program holds."""
    return Use(gib or 0.5, 140.0, (Holder(pid, "python", gib),))


def lender(store: Store, *uses: Mapping[str, Use], devices: tuple[Device, ...] = TWO) -> Lender:
    """`uses` are what the host says each time it is asked; the last one stays. No real time passes."""
    left = list(uses or ({"GPU-a": FREE, "GPU-b": FREE},))
    return Lender(
        store,
        host="here",
        devices=lambda: devices,
        uses=lambda: left.pop(0) if len(left) > 1 else left[0],
        pause=lambda seconds: None,
        rest=lambda seconds: None,
    )


def quiet(text: str) -> None:
    """Nobody listens."""


@on_both
def test_a_second_server_gets_another_gpu_and_waits_for_a_third(store: Store) -> None:
    one = lender(store).lend(1, PURPOSE, quiet)
    two = lender(store).lend(1, PURPOSE, quiet)
    assert (one.devices, two.devices) == ((TWO[0],), (TWO[1],))
    told: list[str] = []

    def free_one(text: str) -> None:
        told.append(text)
        one.release()

    three = lender(store).lend(1, PURPOSE, free_one)
    assert told == ["waiting for 1 of 2 GPUs"]
    assert three.devices == (TWO[0],)
    one.release()
    assert [lease.gpu for lease in store.leases.held("here")] == [0, 1]


def test_another_programs_gpu_is_passed_over_or_refused_with_its_user(store: Store) -> None:
    used = {"GPU-a": python(40.0), "GPU-b": FREE}
    assert lender(store, used).lend(1, PURPOSE, quiet).devices == (TWO[1],)
    with pytest.raises(InfraError, match=r"GPU 0 holds 40.0 GiB of process 4711 \(python\), not ours") as refused:
        lender(store, used).lend(2, PURPOSE, quiet)
    assert "wait" in refused.value.hint and "exclude" in refused.value.hint


@pytest.mark.parametrize(
    ("use", "share", "why"),
    [
        (FREE, 0.9, ""),
        (Use(0.2, 140.0, (Holder(7, "gnome-shell", 0.1),)), 0.9, ""),
        (python(0.6), None, "holds 0.6 GiB of process 4711 (python), not ours"),
        (python(None), None, "holds process 4711 (python), not ours"),
        (Use(60.0, 140.0), None, "has 60.0 GiB in use by processes that cannot be seen from here"),
        (Use(3.0, 140.0, (Holder(1, "old server", 3.0),)), None, "has 3.0 GiB in use by process 1 (old server)"),
        (Use(1.0, 8.0), 0.9, "has 7.0 of 8.0 GiB free and the server will ask for 7.2 (0.9 of it)"),
        (Use(1.0, 8.0), 0.8, ""),
        (Use(1.0, 8.0), None, ""),
        (Use(1.0, None), 0.9, ""),
    ],
)
def test_each_refusal_has_its_reason(use: Use, share: float | None, why: str) -> None:
    assert taken(use, share, ours=lambda pid: pid == 1) == why


def test_a_gpu_with_too_little_free_for_the_cell_is_passed_over(store: Store) -> None:
    used = {"GPU-a": Use(1.9, 8.0), "GPU-b": Use(0.1, 8.0)}
    assert lender(store, used).lend(1, PURPOSE, quiet, 0.9).devices == (TWO[1],)
    with pytest.raises(InfraError, match=r"GPU 0 has 6.1 of 8.0 GiB free and the server will ask for 7.2"):
        lender(store, used).lend(2, PURPOSE, quiet, 0.9)


def test_memory_that_is_freed_late_is_waited_for(store: Store) -> None:
    used = {"GPU-a": Use(3.0), "GPU-b": Use(3.0)}
    assert lender(store, used, used, {}).lend(2, PURPOSE, quiet).devices == TWO


def test_memory_of_a_leased_gpu_is_no_other_programs(store: Store) -> None:
    one = lender(store).lend(1, PURPOSE, quiet)
    used = {"GPU-a": python(70.0), "GPU-b": FREE}
    two = lender(store, used).lend(1, PURPOSE, quiet)
    assert (one.devices, two.devices) == ((TWO[0],), (TWO[1],))


def test_more_than_the_host_has_are_refused_and_unseen_gpus_are_not_leased(store: Store) -> None:
    with pytest.raises(EnvironmentMismatchError, match="needs 3 GPUs and this host has 2"):
        lender(store).lend(3, PURPOSE, quiet)
    assert lender(store, devices=()).lend(1, PURPOSE, quiet).devices == ()
    assert lender(store).lend(0, PURPOSE, quiet).devices == ()
    assert store.leases.held() == []


def on_gpus(count: int) -> Cell:
    plain = cell("eagle")
    return replace(
        plain,
        install="pip",
        hardware=H200S,
        launch=replace(plain.launch, gpus=1, flags=("--tensor-parallel-size", str(count))),
    )


class Executor(FakeExecutor):
    """Notes which GPUs each server was given, and which were leased then."""

    def __init__(self, store: Store, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.store = store
        self.given: list[tuple[Device, ...]] = []
        self.leased: list[list[int]] = []

    def serve(self, artifact, cell, plan, run_id, log):  # type: ignore[no-untyped-def]
        def watched(place):  # type: ignore[no-untyped-def]
            launch = plan(place)
            self.given.append(launch.devices)
            self.leased.append([lease.gpu for lease in self.store.leases.held("here")])
            return launch

        return super().serve(artifact, cell, watched, run_id, log)


@on_both
def test_a_run_gets_as_many_as_its_parallel_sizes_say_and_gives_them_back(tmp_path: Path, store: Store) -> None:
    executor = Executor(store)
    asked = replace(bench(executor, tmp_path), lend=lender(store).lend)
    result = run_cell(on_gpus(2), asked, "r1")
    assert result.outcome is Outcome.OK
    assert (executor.given, executor.leased) == ([TWO], [[0, 1]])
    assert store.leases.held() == []
    assert "wait" in dict(result.phases)


def test_gpus_are_given_back_when_the_server_cannot_start(tmp_path: Path, store: Store) -> None:
    executor = Executor(store, fail=InfraError("no port"), fail_at="serve")
    result = run_cell(on_gpus(1), replace(bench(executor, tmp_path), lend=lender(store).lend), "r1")
    assert (result.outcome, result.reason) == (Outcome.INFRA, "no port")
    assert store.leases.held() == []


def test_a_taken_gpu_is_infra_and_never_evidence(tmp_path: Path, store: Store) -> None:
    executor = Executor(store)
    used = {"GPU-a": python(70.0, 1), "GPU-b": python(70.0, 2)}
    result = run_cell(on_gpus(1), replace(bench(executor, tmp_path), lend=lender(store, used).lend), "r1")
    assert result.outcome is Outcome.INFRA
    assert "GPU 1 holds 70.0 GiB of process 2 (python), not ours" in result.reason
    assert executor.given == []


def test_a_cell_without_gpus_asks_for_none(tmp_path: Path, store: Store) -> None:
    def refuse(count: int, purpose: str, note: object) -> None:
        raise AssertionError("no GPU is needed")

    result = run_cell(cell("eagle"), replace(bench(FakeExecutor(), tmp_path), lend=refuse), "r1")  # type: ignore[arg-type]
    assert result.outcome is Outcome.OK


class Robbed(Executor):
    """Its server never answers, and has its GPUs taken by another run; `stopped_by` are the threads that stop it."""

    stopped_by: list[str] = []  # noqa: RUF012 - one test, one instance

    def serve(self, artifact, cell, plan, run_id, log):  # type: ignore[no-untyped-def]
        server = super().serve(artifact, cell, plan, run_id, log)
        stop = server.stop

        def stopped():  # type: ignore[no-untyped-def]
            self.stopped_by.append(threading.current_thread().name)
            stop()
            server.engine.ended = -15

        server.stop = stopped
        held = self.store.leases.held("here")
        self.store.leases.release("here", [lease.gpu for lease in held], held[0].owner)
        assert self.store.leases.take("here", [0, 1], 2, "another", purpose="", ttl_s=600) is not None
        return server


@on_both
def test_a_run_whose_gpus_are_taken_is_stopped_and_is_no_evidence(tmp_path: Path, store: Store) -> None:
    executor = Robbed(store, eagle=Script(mode="never-ready"))
    asked = replace(
        bench(executor, tmp_path, start_s=600, request_s=600), lend=replace(lender(store), beat_s=0.01).lend
    )
    result = run_cell(on_gpus(1), asked, "r1")
    assert (result.outcome, result.failure and result.failure.signature) == (Outcome.INFRA, "lease-lost")
    assert "the lease of GPU 0 was lost" in result.reason
    assert executor.stopped_by[0] == "gpu lease"
    assert {lease.owner for lease in store.leases.held("here")} == {"another"}


def test_a_lease_that_cannot_be_renewed_is_lost_when_it_has_run_out(store: Store) -> None:
    class Deaf(Lender):
        def renewed(self, numbers: list[int], me: str) -> bool:
            raise InfraError("the database is away")

    stopped = threading.Event()
    patient = Deaf(store, devices=lambda: TWO, uses=dict, beat_s=0.01, lease_s=600).lend(1, PURPOSE, quiet)
    loan = Deaf(store, devices=lambda: TWO, uses=dict, beat_s=0.01, lease_s=0.1).lend(1, PURPOSE, quiet)
    loan.when_lost(stopped.set)
    assert stopped.wait(60)
    assert loan.lost.is_set()
    assert not patient.lost.is_set()
    patient.release()


LATE = {"GPU-a": Use(30.0, 140.0), "GPU-b": FREE}
BACK = {"GPU-a": FREE, "GPU-b": FREE}


def test_memory_that_comes_back_late_is_waited_for_before_the_gpu_is_given_back(store: Store) -> None:
    loan = lender(store, BACK, LATE, LATE, BACK).lend(1, PURPOSE, quiet)
    assert loan.release() == ""
    assert store.leases.held("here") == []


@on_both
def test_a_gpu_whose_memory_is_not_back_is_kept_off_until_it_is(store: Store) -> None:
    back = threading.Event()
    said = "GPU 0 has 30.0 GiB in use by processes that cannot be seen from here"
    patient = replace(
        lender(store), beat_s=0.01, settle_s=3, uses=lambda: BACK if back.is_set() or not started else LATE
    )
    started: list[bool] = []
    loan = patient.lend(1, PURPOSE, quiet)
    started.append(True)
    assert (loan.release(), loan.release()) == (said, said)
    (lease,) = store.leases.held("here")
    assert (lease.gpu, lease.purpose) == (0, HELD_OFF + said)
    assert patient.lend(1, PURPOSE, quiet).devices == (TWO[1],)
    with pytest.raises(InfraError, match=r"1 cannot be used: GPU 0 is not free again: GPU 0 has 30.0 GiB"):
        patient.lend(2, PURPOSE, quiet)
    back.set()
    assert [lease.gpu for lease in until(store, 1)] == [1]


def until(store: Store, count: int) -> list[Lease]:
    """The leases as soon as there are so many."""
    pause = threading.Event()
    while len(held := store.leases.held("here")) != count:
        pause.wait(0.01)
    return held


def test_a_run_notes_what_its_server_left(tmp_path: Path, store: Store) -> None:
    asked = replace(bench(FakeExecutor(), tmp_path), lend=lender(store, BACK, LATE).lend)
    result = run_cell(on_gpus(1), asked, "r1")
    assert result.outcome is Outcome.OK
    assert result.reason.endswith(
        "after its server had stopped, GPU 0 has 30.0 GiB in use by processes that cannot be seen from here"
    )
    assert result.flags[-1] == Oddity.MEMORY_KEPT


def test_what_interrupts_the_wait_for_memory_gives_the_gpu_back(store: Store) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    loan = replace(lender(store, BACK, LATE), rest=interrupted).lend(1, PURPOSE, quiet)
    with pytest.raises(KeyboardInterrupt):
        loan.release()
    assert store.leases.held("here") == []


def test_a_host_that_cannot_serve_as_planned_is_infra_before_a_gpu_is_leased(tmp_path: Path, store: Store) -> None:
    executor = Executor(store)
    asked = replace(bench(executor, tmp_path), lend=lender(store).lend, ready=lambda of: check_driver(of, Gpus()))
    result = run_cell(on_gpus(1), asked, "r1")
    assert (result.outcome, executor.given) == (Outcome.INFRA, [])
    assert "no NVIDIA GPU answers" in result.reason


def test_a_database_that_is_away_when_gpus_are_given_back_costs_no_run(store: Store) -> None:
    class Away:
        def __getattr__(self, name: str) -> object:
            raise InfraError("the database is away")

    for uses in ((BACK,), (BACK, LATE)):
        asked = lender(store, *uses)
        loan = asked.lend(1, PURPOSE, quiet)
        object.__setattr__(asked, "store", Away())
        loan.release()
        store.leases.release("here", [0], owner.me())
