"""Processes that race, die, or find the disk full: no job is doubled and nothing stored is lost."""

import subprocess
import sys
from pathlib import Path

import pytest

from matrix.core.spec import BASELINE
from matrix.store import ClaimLostError, JobStatus, Store, open_store
from tests.store.build import cell, key, plan, run, sample, statuses
from tests.store.mounts import can_mount


def test_sweeps_of_dead_owners_are_closed_and_their_waiting_jobs_cancelled(store: Store) -> None:
    dead = plan(store, "1.0", "2.0")
    alive = store.sweeps.create({}, "", owner="alive", tool_version="1")
    store.queue.enqueue(alive, [(key(cell("3.0", BASELINE)), cell("3.0", BASELINE))])
    assert store.sweeps.interrupt_lost(lambda owner: owner == "alive") == [dead]
    assert (store.read.sweep(dead).status, statuses(store, dead)) == ("interrupted", ["cancelled", "cancelled"])
    assert (store.read.sweep(alive).status, statuses(store, alive)) == ("running", ["queued"])


def test_a_killed_workers_job_waits_again_and_is_finished_by_another(store: Store, url: str) -> None:
    sweep = plan(store, "1.0")
    child = (sys.executable, "-m", "tests.store.child", "claim-and-die", url, "doomed")
    with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        number = int(worker.stdout.readline())
        assert store.requeue_lost(lambda owner: True) == []
        worker.kill()
    lost = store.requeue_lost(lambda owner: owner != "doomed")
    assert [(job.job_id, job.status, job.owner, job.lost) for job in lost] == [(number, JobStatus.QUEUED, None, 1)]
    with pytest.raises(ClaimLostError):
        store.queue.finish(number, "doomed", run("late", cell("1.0"), sample()))
    job = store.queue.claim("next")
    assert job is not None
    store.queue.finish(job.job_id, "next", run("r", job.cell, sample()))
    assert (statuses(store, sweep), [row.run_id for row in store.read.results()]) == (["done"], ["r"])


def test_a_job_lost_three_times_ends_as_an_infra_failure(store: Store) -> None:
    sweep = plan(store, "1.0", "2.0")
    for attempt in (1, 2, 3):
        job = store.queue.claim(f"owner {attempt}")
        assert job is not None
        assert (job.job_id, job.attempts, job.lost) == (1, attempt, attempt - 1)
        store.queue.set_phase(1, f"owner {attempt}", "ready")
        lost = store.requeue_lost(lambda owner: False)
    assert [(job.status, job.lost) for job in lost] == [(JobStatus.DONE, 3)]
    view = store.read.sweep(sweep).jobs[0]
    assert view.outcome == "infra"
    assert view.reason == "its worker died 3 times before a result, last in phase ready"
    assert "dmesg" in store.read.run(view.run_id or "").next_step
    assert store.runs.measured_keys([key(cell("1.0"))]) == {}
    following = store.queue.claim("owner 4")
    assert following is not None
    assert following.job_id == 2


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    can_mount()
    place, kept = tmp_path / "small", tmp_path / "kept.db"
    place.mkdir()
    script = (
        'mount -t tmpfs -o size=8m tmpfs "$1" && exec "$2" -m tests.store.child fill-disk "sqlite:///$1/m.db" "$1" "$3"'
    )
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", str(place), sys.executable, str(kept)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    lines = result.stdout.splitlines()
    assert lines[0].startswith("InfraError"), result
    assert "the disk is full" in lines[0]
    assert "free space on it and run the same command again" in lines[0]
    saved, intact = lines[1].split()
    assert int(saved) > 10
    assert (intact, lines[2]) == ("True", "ok")
    copied = open_store(f"sqlite:///{kept}")
    assert len(list(copied.read.results())) == int(saved) + 1
