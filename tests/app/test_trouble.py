"""A machine that fails its service: told once, tried again; what was measured waits to be stored."""

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from matrix.app.nightly import Shift
from matrix.app.patience import patiently
from matrix.app.sweep import SweepOutcome, run_sweep
from matrix.app.terms import Terms
from matrix.app.trouble import LONGEST_S, SHORTEST_S, Trouble
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, InfraError
from matrix.executors import owner
from matrix.store import ClaimLostError, JobStatus, open_store
from tests.app.build import FakeExecutor, Seen
from tests.app.test_sweep import both, plan
from tests.plan.build import MINIMAL

AWAY = InfraError("the database server cannot be reached", hint="start it")


class Clock:
    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_pauses_grow_to_a_limit_and_each_cause_is_told_once() -> None:
    clock = Clock()
    trouble, told, pauses = Trouble(clock), [], []
    for _ in range(8):
        told.append(trouble.meet(AWAY))
        begun = clock.now
        while not trouble.over():
            clock.now += 1
        pauses.append(clock.now - begun)
    assert pauses[:3] == [SHORTEST_S, 2 * SHORTEST_S, 4 * SHORTEST_S] and pauses[-1] == LONGEST_S
    assert "start it" in told[0] and told[1:] == [""] * 7
    assert trouble.lasted() == sum(pauses)
    trouble.end()
    assert (trouble.over(), trouble.lasted(), bool(trouble.meet(AWAY))) == (True, 0.0, True)


def test_a_full_disk_is_told_with_its_path_and_what_to_do() -> None:
    said = Trouble().meet(OSError(errno.ENOSPC, "No space left on device", "/data/x"))
    assert said.startswith("/data/x: No space left on device (free space there)")


def failing(times: int, error: Exception = AWAY) -> Callable[[], str]:
    left = [error] * times

    def act() -> str:
        if left:
            raise left.pop()
        return "stored"

    return act


def test_what_was_measured_waits_for_the_database() -> None:
    clock, told = Clock(), []
    pause = lambda seconds: setattr(clock, "now", clock.now + seconds)  # noqa: E731
    assert patiently(failing(20), Terms(patience_s=60), told.append, pause, clock) == "stored"
    assert len(told) == 1 and "start it" in told[0]
    with pytest.raises(InfraError, match="cannot be reached"):
        patiently(failing(1000), Terms(patience_s=60), told.append, pause, clock)
    with pytest.raises(InfraError, match="cannot be reached"):
        patiently(failing(1), Terms(patience_s=60, stopping=lambda: True), told.append, pause, clock)
    lost = ClaimLostError("another has it")
    with pytest.raises(ClaimLostError):
        patiently(failing(1, lost), Terms(patience_s=60), told.append, pause, clock)


def test_a_run_made_while_another_process_locks_the_database_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is real; it is let go when the run has said that it waits."""
    monkeypatch.setattr("matrix.app.patience.PAUSE_S", 0.01)
    file = tmp_path / "matrix.db"
    store = open_store(f"sqlite:///{file}?timeout=0.05")
    waits: list[str] = []
    with closing(sqlite3.connect(file, isolation_level=None)) as other:

        class Locking(Seen):
            def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
                if phase == "stop":
                    other.execute("BEGIN IMMEDIATE")
                elif phase == "save":
                    waits.append(detail)
                    other.execute("ROLLBACK")

        outcome = run_sweep(plan(tmp_path, both()[0]), FakeExecutor(), store, Locking())
    assert (outcome.runs, outcome.infra) == (1, 0)
    assert [row.outcome for row in store.read.results()] == ["ok"]
    (wait,) = waits
    assert str(file) in wait and "kept the database locked" in wait
    store.close()


@pytest.fixture
def shift(tmp_path: Path) -> Shift:
    config = tmp_path / "matrix.toml"
    config.write_text(MINIMAL + '\n[nightly]\nwhen = "0 2 * * *"\non_new = false\n')
    open_store(f"sqlite:///{tmp_path}/matrix.db").close()
    made = Shift(config, f"sqlite:///{tmp_path}/matrix.db", None, Seen(), [].append)
    made.begun = 0.0
    return made


def nights(shift: Shift) -> list[tuple[float, str]]:
    store = open_store(shift.db)
    try:
        return [(tick.slot, tick.status.value) for tick in store.ticks.newest()]
    finally:
        store.close()


def carried(shift: Shift, monkeypatch: pytest.MonkeyPatch, *ends: Exception | None) -> list[str]:
    """The night's sweep ends so, one after the other; returns what was told."""
    told: list[str] = []
    left = list(ends)

    def sweep(self: Shift, *_: object) -> SweepOutcome:
        error = left.pop(0)
        if error is not None:
            raise error
        return SweepOutcome(None, 1, 0, 0, 1)

    class Prepared:
        def __enter__(self) -> "Prepared":
            return self

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(Shift, "_make_room", lambda self, ready: None)
    monkeypatch.setattr(Shift, "_sweep", lambda self, ready, terms: sweep(self))
    monkeypatch.setattr("matrix.app.nightly.prepare", lambda *_, **__: Prepared())
    shift.say = told.append
    return told


def test_a_night_that_the_machine_failed_goes_on_by_itself(shift: Shift, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    shift._trouble = Trouble(clock)
    told = carried(shift, monkeypatch, AWAY, OSError(errno.ENOSPC, "No space left on device", "/x"), None)
    assert not shift.tick()
    ((slot, status),) = nights(shift)
    assert status == "running"
    assert not shift.tick(), "it pauses first"
    clock.now += SHORTEST_S
    assert not shift.tick()
    clock.now += 2 * SHORTEST_S
    assert shift.tick()
    assert nights(shift) == [(slot, "done")]
    assert sum("trying again until it works" in line for line in told) == 2


def test_a_night_is_given_up_when_its_hours_are_over(shift: Shift, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    shift._trouble = Trouble(clock)
    carried(shift, monkeypatch, AWAY, AWAY)
    shift.tick()
    clock.now += 9 * 3600
    shift.tick()
    assert [status for _, status in nights(shift)] == ["failed"]


def test_a_faulty_file_ends_no_service(shift: Shift) -> None:
    told: list[str] = []
    shift.say = told.append
    shift.config.write_text("[nightly\n")
    assert not shift.tick()
    assert len(told) == 1 and "matrix.toml" in told[0]


def test_nights_go_on_after_the_clock_was_set_back(shift: Shift, monkeypatch: pytest.MonkeyPatch) -> None:
    day = 86_400.0
    shift.clock = clock = Clock(400 * day)
    shift.begun = clock.now - day
    carried(shift, monkeypatch, *[None] * 9)
    assert shift.tick()
    clock.now -= 300 * day
    assert shift.tick() is False, "no moment of the calendar has passed since"
    clock.now += day
    assert shift.tick()
    assert sorted(slot // day for slot, _ in nights(shift)) == [100.0, 399.0]


def test_cells_that_this_process_could_not_give_back_wait_again(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/matrix.db")
    (first, *_) = plan(tmp_path, *both()).cells
    sweep = store.sweeps.create({}, "", owner=owner.me(), tool_version="")
    store.queue.enqueue(sweep, [(first.content_key, first.cell)])
    job = store.queue.claim(owner.me())
    assert job is not None
    assert (store.queue.give_back("another"), store.queue.give_back(owner.me())) == (0, 1)
    again = store.queue.claim("another")
    assert again is not None and (again.status, again.attempts, again.lost) == (JobStatus.CLAIMED, 2, 0)
    store.close()


def test_a_config_error_is_no_trouble_of_the_machine(shift: Shift, monkeypatch: pytest.MonkeyPatch) -> None:
    carried(shift, monkeypatch, ConfigError("no such draft"))
    assert shift.tick()
    assert [status for _, status in nights(shift)] == ["failed"]


def test_a_sweep_stops_what_a_killed_helper_left_before_its_next_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, told = open_store(f"sqlite:///{tmp_path}/matrix.db"), []
    wanted = plan(tmp_path, *both())
    other = store.sweeps.create({}, "", owner="helper", tool_version="")
    store.queue.enqueue(other, [(wanted.cells[1].content_key, wanted.cells[1].cell)])
    assert store.queue.claim("helper", other) is not None
    store.leases.take("host", [0], 1, "helper", purpose="p", ttl_s=1e9)
    died = [False]

    class Reaping(FakeExecutor):
        def reap(self) -> list[str]:
            told.append("reaped")
            return []

    class Watching(Seen):
        def done(self, cell: Cell, outcome: object, reason: str) -> None:
            told.append(cell.spec.name)
            died[0] = True

    monkeypatch.setattr(owner, "alive", lambda who: who != "helper" or not died[0])
    run_sweep(wanted, Reaping(), store, Watching())
    assert told == ["reaped", "baseline", "reaped", "eagle"]
    assert store.leases.held() == []
    store.close()
