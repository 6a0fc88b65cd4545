"""Jobs: claimed once, ended once, never by someone who does not hold them."""

import time

import pytest

from matrix.core.errors import InfraError, NotFoundError
from matrix.core.outcome import Outcome
from matrix.store import ClaimLostError, Priority, Store, SweepStatus
from tests.store.build import cell, key, plan, run, sample, statuses


def test_jobs_are_claimed_in_order_until_none_waits(store: Store) -> None:
    plan(store, "1.0", "2.0", "3.0")
    claimed = [store.queue.claim(owner) for owner in ("a", "b", "a", "b")]
    assert [job and (job.cell.revision.version, job.owner, job.attempts) for job in claimed] == [
        ("1.0", "a", 1),
        ("2.0", "b", 1),
        ("3.0", "a", 1),
        None,
    ]


def test_a_claim_can_be_limited_to_one_sweep(store: Store) -> None:
    plan(store, "1.0")
    second = plan(store, "2.0")
    job = store.queue.claim("a", second)
    assert job is not None
    assert job.cell.revision.version == "2.0"
    assert store.queue.claim("a", second) is None


def test_a_key_planned_twice_in_one_sweep_is_one_job(store: Store) -> None:
    sweep = plan(store, "1.0", "1.0")
    assert store.queue.enqueue(sweep, [(key(cell("1.0")), cell("1.0"))]) == []
    assert store.queue.pending(sweep) == 1


def test_finishing_stores_the_run_and_ends_the_job(store: Store) -> None:
    sweep = plan(store, "1.0")
    job = store.queue.claim("me")
    assert job is not None
    store.queue.finish(job.job_id, "me", run("r", job.cell, sample()), log_ref="f" * 64, log_bytes=5)
    view = store.read.sweep(sweep).jobs[0]
    assert (view.status, view.run_id, view.outcome, view.accept_length) == ("done", "r", "ok", 3.0)
    assert store.read.run("r").log_ref == "f" * 64


def test_finishing_twice_is_refused_and_stores_nothing(store: Store) -> None:
    plan(store, "1.0")
    job = store.queue.claim("me")
    assert job is not None
    store.queue.finish(job.job_id, "me", run("r", job.cell, sample()))
    with pytest.raises(ClaimLostError, match="job 1 is not held by me: run r2 was not stored"):
        store.queue.finish(job.job_id, "me", run("r2", job.cell, sample()))
    assert [row.run_id for row in store.read.results()] == ["r"]


def test_a_run_that_cannot_be_stored_leaves_the_job_held(store: Store) -> None:
    sweep = plan(store, "1.0")
    store.runs.save(run("r", cell("0.9"), sample()))
    job = store.queue.claim("me")
    assert job is not None
    with pytest.raises(InfraError, match="stored already"):
        store.queue.finish(job.job_id, "me", run("r", job.cell, sample()))
    assert statuses(store, sweep) == ["claimed"]
    store.queue.finish(job.job_id, "me", run("r2", job.cell, sample()))
    assert statuses(store, sweep) == ["done"]


def test_only_the_holder_changes_a_job(store: Store) -> None:
    plan(store, "1.0")
    job = store.queue.claim("a")
    assert job is not None
    number = job.job_id
    assert not store.queue.set_phase(number, "b", "serve")
    assert not store.queue.heartbeat(number, "b")
    assert not store.queue.release(number, "b")
    assert store.queue.set_phase(number, "a", "serve", "port 8000, --api-key abc")
    assert store.queue.heartbeat(number, "a")
    view = store.read.latest_sweep()
    assert view is not None
    assert (view.jobs[0].phase, view.jobs[0].phase_detail) == ("serve", "port 8000, --api-key [redacted]")


def test_a_released_job_waits_again_at_its_place(store: Store) -> None:
    sweep = plan(store, "1.0", "2.0")
    job = store.queue.claim("a")
    assert job is not None
    store.queue.set_phase(job.job_id, "a", "build")
    assert store.queue.release(job.job_id, "a")
    assert statuses(store, sweep) == ["queued", "queued"]
    again = store.queue.claim("b")
    assert again is not None
    assert (again.job_id, again.attempts, again.lost) == (job.job_id, 2, 0)


def test_cancelling_ends_waiting_jobs_only(store: Store) -> None:
    sweep = plan(store, "1.0", "2.0", "3.0")
    store.queue.claim("me")
    assert store.queue.cancel_rest(sweep) == 2
    assert statuses(store, sweep) == ["claimed", "cancelled", "cancelled"]
    assert store.queue.claim("me") is None


def test_what_another_sweep_measured_meanwhile_is_not_run_again(store: Store) -> None:
    first, second = plan(store, "1.0"), plan(store, "1.0", "2.0")
    job = store.queue.claim("a", first)
    assert job is not None
    store.queue.finish(job.job_id, "a", run("r", job.cell, outcome=Outcome.LOAD_CRASH))
    following = store.queue.claim("b", second)
    assert following is not None
    assert following.cell.revision.version == "2.0"
    done = store.read.sweep(second).jobs[0]
    assert (done.status, done.run_id, done.reason) == ("done", "r", "ended as load-crash")


def test_what_another_owner_is_measuring_is_left_waiting(store: Store) -> None:
    plan(store, "1.0")
    second = plan(store, "1.0", "2.0")
    first = store.queue.claim("a")
    other = store.queue.claim("b", second)
    assert first is not None
    assert other is not None
    assert (first.cell.revision.version, other.cell.revision.version) == ("1.0", "2.0")
    assert (store.queue.claim("c"), store.queue.pending(second)) == (None, 2)
    store.queue.release(first.job_id, "a")
    again = store.queue.claim("c", second)
    assert again is not None
    assert again.cell.revision.version == "1.0"


def test_an_infra_failure_of_another_sweep_does_not_spare_the_run(store: Store) -> None:
    store.runs.save(run("r", cell("1.0"), outcome=Outcome.INFRA))
    plan(store, "1.0")
    assert store.queue.claim("a") is not None


def test_closing_a_sweep(store: Store) -> None:
    sweep = plan(store, "1.0")
    store.sweeps.finish(sweep, SweepStatus.INTERRUPTED)
    store.sweeps.finish(sweep, SweepStatus.DONE)
    view = store.read.sweep(sweep)
    assert view.status == "interrupted"
    assert view.finished_at is not None
    with pytest.raises(NotFoundError, match="no sweep 77"):
        store.sweeps.finish(77, SweepStatus.DONE)


def _shared(store: Store, version: str, priority: Priority) -> int:
    sweep = store.sweeps.create({}, "", owner="me", tool_version="0")
    store.queue.enqueue(sweep, [(key(cell(version)), cell(version))], priority=priority, shared=True)
    return sweep


def test_the_most_urgent_job_goes_first(store: Store) -> None:
    for version, priority in (("1.0", Priority.NIGHTLY), ("2.0", Priority.INTERACTIVE), ("3.0", Priority.BISECTION)):
        _shared(store, version, priority)
    order = [store.queue.claim("me") for _ in range(3)]
    assert [job and job.cell.revision.version for job in order] == ["2.0", "3.0", "1.0"]


def test_a_worker_takes_what_is_shared_and_fits_it(store: Store) -> None:
    plan(store, "1.0")
    _shared(store, "2.0", Priority.NIGHTLY)
    assert store.queue.claim_shared("me", ["docker"], cell().hardware.label) is None
    assert store.queue.claim_shared("me", ["venv"], "gpu H200 x1") is None
    job = store.queue.claim_shared("me", ["venv"], cell().hardware.label)
    assert job is not None and job.cell.revision.version == "2.0"
    assert store.queue.claim_shared("me", ["venv"], cell().hardware.label) is None


def test_a_retry_keeps_the_failed_run_and_waits_for_its_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = plan(store, "1.0")
    job = store.queue.claim("me")
    assert job is not None
    failed = run("r1", job.cell, outcome=Outcome.INFRA, reason="the disk is full")
    store.queue.finish(job.job_id, "me", failed, again_at=time.time() + 60)
    assert [row.outcome for row in store.read.results()] == ["infra"]
    assert store.queue.claim("me") is None and store.queue.pending(sweep) == 1
    later = time.time() + 61
    monkeypatch.setattr("matrix.store.queue.time.time", lambda: later)
    again = store.queue.claim("me")
    assert again is not None and again.attempts == 2
    assert again.cell == job.cell  # with its environment, which a job that has ended loses
    store.queue.finish(again.job_id, "me", run("r2", again.cell, sample()))
    assert store.queue.pending(sweep) == 0


def test_gpu_seconds_are_those_of_the_sweeps_runs_and_of_what_is_held(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = store.sweeps.create({}, "", owner="me", tool_version="0")
    rows = [(key(cell(v)), cell(v)) for v in ("1.0", "2.0")]
    store.queue.enqueue(sweep, rows, gpus=lambda cell: 4)
    job = store.queue.claim("me", sweep)
    assert job is not None
    done = run("r", job.cell, sample())
    store.queue.finish(job.job_id, "me", done)
    made = 4 * (done.finished_at - done.started_at)
    assert store.queue.gpu_seconds(sweep) == pytest.approx(made)
    held = store.queue.claim("me", sweep)
    later = time.time() + 10
    monkeypatch.setattr("matrix.store.queue.time.time", lambda: later)
    assert held is not None and store.queue.gpu_seconds(sweep) == pytest.approx(made + 40, abs=4)
    expected = {held.content_key: 60.0}.__getitem__
    assert store.queue.gpu_seconds(sweep, expected) == pytest.approx(made + 240)
    assert store.queue.gpu_seconds(sweep, expected, but=held.job_id) == pytest.approx(made)


def test_what_was_given_up_is_counted_with_its_reason(store: Store) -> None:
    sweep = plan(store, "1.0", "2.0")
    store.queue.cancel_rest(sweep, "no time is left for it tonight")
    assert store.queue.cancelled(sweep) == (2, "no time is left for it tonight")
