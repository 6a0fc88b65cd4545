"""A run whose job another worker has taken over ends at once, with its server stopped and nothing stored."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.app import claim as claims
from matrix.app.claim import Claim
from matrix.app.job import Hands, run_job
from matrix.app.planned import content_key
from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact
from matrix.executors import owner
from matrix.store import ClaimLostError, Job, Store
from tests.app.build import FakeExecutor, FakeServer, Seen, cell
from tests.app.test_sweep import plan
from tests.databases import on_both
from tests.fakes.engine import Script
from tests.store.build import run

pytestmark = on_both


def steal(store: Store) -> Job:
    """The only job in hand, as another worker holds it that thought this one dead."""
    store.requeue_lost(lambda owner: False)
    stolen = store.queue.claim("another")
    assert stolen is not None
    return stolen


class Robbed(FakeExecutor):
    """Loses the claim at one moment: in `build`, in `serve`, or when its server is stopped."""

    def __init__(self, at: str, rob: Callable[[], object], **scripts: Script) -> None:
        super().__init__(**scripts)
        self.at, self.rob = at, rob
        self.stopped_by: list[str] = []

    def build(self, recipe, log, note):  # type: ignore[no-untyped-def]
        if self.at == "build":
            self.rob()
        return super().build(recipe, log, note)

    def serve(self, artifact: Artifact, cell: Cell, plan, run_id, log: Path) -> FakeServer:  # type: ignore[no-untyped-def]
        server = super().serve(artifact, cell, plan, run_id, log)
        stop = server.stop

        def stopped():  # type: ignore[no-untyped-def]
            self.stopped_by.append(threading.current_thread().name)
            if self.at == "stop" and len(self.stopped_by) == 1:
                self.rob()
            exited = stop()
            server.engine.ended = -15
            return exited

        server.stop = stopped  # type: ignore[method-assign]
        if self.at == "serve":
            self.rob()
        return server


def one_job(tmp_path: Path, store: Store, executor: FakeExecutor) -> tuple[Outcome | None, Seen]:
    seen, of = Seen(), cell("baseline")
    hands = Hands(plan(tmp_path, of), executor, store, seen, owner.me())
    sweep = store.sweeps.create({}, "", owner=owner.me(), tool_version="1")
    store.queue.enqueue(sweep, [(content_key(of), of)])
    job = store.queue.claim(owner.me())
    assert job is not None
    with hands.boot:
        outcome = run_job(job, hands)
        assert hands.boot.standing is None
    return outcome, seen


def nothing_stored(store: Store) -> bool:
    logs = [p for p in store.state_dir.rglob("*") if p.is_file() and "log" in str(p.relative_to(store.state_dir))]
    return not list(store.read.results()) and not logs


def test_a_server_that_never_answers_is_stopped_by_the_heartbeat(
    tmp_path: Path, stored: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT_S", 0.01)
    executor = Robbed("serve", lambda: None, baseline=Script(mode="never-ready"))

    class Waiting(Seen):
        def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
            super().phase(cell, phase, detail)
            if executor.servers and phase == "start":
                steal(stored)

    seen, of = Waiting(), cell("baseline")
    hands = Hands(plan(tmp_path, of), executor, stored, seen, owner.me())
    sweep = stored.sweeps.create({}, "", owner=owner.me(), tool_version="1")
    stored.queue.enqueue(sweep, [(content_key(of), of)])
    job = stored.queue.claim(owner.me())
    assert job is not None
    assert run_job(job, hands) is None
    assert executor.stopped_by[0] == "heartbeat"
    assert seen.phases[-1] == "lost"
    assert nothing_stored(stored)


@pytest.mark.parametrize(("at", "servers"), [("build", 0), ("serve", 1), ("stop", 1)])
def test_whenever_it_is_lost_the_run_ends_and_nothing_is_stored(
    tmp_path: Path, stored: Store, at: str, servers: int
) -> None:
    executor = Robbed(at, lambda: steal(stored))
    executor.log_text = "a log line\n"
    outcome, seen = one_job(tmp_path, stored, executor)
    assert (outcome, len(executor.servers), seen.phases[-1]) == (None, servers, "lost")
    assert all(server.stops for server in executor.servers)
    assert "probe" not in seen.phases or at == "stop"
    assert nothing_stored(stored)
    assert [c.owner for c in stored.service.claims()] == ["another"]


def test_the_sweep_goes_on_with_what_the_other_worker_stored(tmp_path: Path, stored: Store) -> None:
    def rob() -> None:
        job = steal(stored)
        stored.queue.finish(job.job_id, "another", run("theirs", job.cell))

    outcome = run_sweep(plan(tmp_path, cell("baseline")), Robbed("build", rob), stored, Seen())
    assert (outcome.runs, outcome.infra) == (0, 0)
    assert [row.run_id for row in stored.read.results()] == ["theirs"]


def test_who_waits_for_a_gpu_stops_waiting(stored: Store) -> None:
    sweep = stored.sweeps.create({}, "", owner="me", tool_version="1")
    of = cell("baseline")
    stored.queue.enqueue(sweep, [(content_key(of), of)])
    job = stored.queue.claim("me")
    assert job is not None
    claim = Claim(stored, job.job_id, "me")
    assert claim.held()
    claim.pause(0)
    steal(stored)
    claim.tell("wait")
    with pytest.raises(ClaimLostError, match="another worker has taken this cell over"):
        claim.pause(600)
