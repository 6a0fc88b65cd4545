"""GPUs are lent to one server at a time, found idle, and given back when it stops."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.gpus import Lender
from matrix.app.run_cell import run_cell
from matrix.core.cell import Cell
from matrix.core.errors import EnvironmentMismatchError, InfraError
from matrix.core.hardware import Hardware
from matrix.core.outcome import Outcome
from matrix.core.recipe import Device
from matrix.store import Store, open_store
from tests.app.build import FakeExecutor, bench, cell
from tests.fakes.engine import Script

TWO = (Device(0, "GPU-a"), Device(1, "GPU-b"))
PURPOSE = "a run"
H200S = Hardware("cpu", 8, "NVIDIA H200", 2, "595.58", "13.2", "9.0", "2.36", "3.12.4")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


def lender(store: Store, *uses: Mapping[str, str], devices: tuple[Device, ...] = TWO) -> Lender:
    """`uses` are what the host says each time it is asked; the last one stays. No real time passes."""
    left = list(uses or ({},))
    return Lender(
        store,
        host="here",
        devices=lambda: devices,
        in_use=lambda: left.pop(0) if len(left) > 1 else left[0],
        pause=lambda seconds: None,
    )


def quiet(text: str) -> None:
    """Nobody listens."""


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
    used = {"GPU-a": "70.0 GiB in use by python3 (pid 7)"}
    assert lender(store, used).lend(1, PURPOSE, quiet).devices == (TWO[1],)
    with pytest.raises(InfraError, match=r"GPU 0 has 70.0 GiB in use by python3 \(pid 7\)"):
        lender(store, used).lend(2, PURPOSE, quiet)


def test_memory_that_is_freed_late_is_waited_for(store: Store) -> None:
    used = {"GPU-a": "3.0 GiB in use", "GPU-b": "3.0 GiB in use"}
    assert lender(store, used, used, {}).lend(2, PURPOSE, quiet).devices == TWO


def test_memory_of_a_leased_gpu_is_no_other_programs(store: Store) -> None:
    one = lender(store).lend(1, PURPOSE, quiet)
    used = {"GPU-a": "70.0 GiB in use"}
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
    used = {"GPU-a": "70.0 GiB in use by x", "GPU-b": "70.0 GiB in use by y"}
    result = run_cell(on_gpus(1), replace(bench(executor, tmp_path), lend=lender(store, used).lend), "r1")
    assert result.outcome is Outcome.INFRA
    assert "GPU 1 has 70.0 GiB in use by y" in result.reason
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
        def _renewed(self, numbers: list[int], me: str) -> bool | None:
            return None

    stopped = threading.Event()
    patient = Deaf(store, devices=lambda: TWO, in_use=dict, beat_s=0.01, lease_s=600).lend(1, PURPOSE, quiet)
    loan = Deaf(store, devices=lambda: TWO, in_use=dict, beat_s=0.01, lease_s=0.1).lend(1, PURPOSE, quiet)
    loan.when_lost(stopped.set)
    assert stopped.wait(60)
    assert loan.lost.is_set()
    assert not patient.lost.is_set()
    patient.release()
