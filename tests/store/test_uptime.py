"""The accept length over a server's life, and a run's flags, as they come back from the database."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters
from matrix.core.result import Uptime
from matrix.core.workload import Prompt
from matrix.store import Store
from tests.store.build import NGRAM, WORKLOAD, cell, run, sample

EARLY = Counters(100, 300, 210, (100, 80, 30), 120, 331)
LATE = Counters(100, 300, 150, None, 120, 271)


def test_numbers_come_back_and_lengths_are_derived(store: Store) -> None:
    aged = Uptime(10, 7, EARLY, LATE, -0.2, -0.25, -0.15, True)
    store.runs.save(replace(run("r", cell(), sample()), uptime=aged, flags=("drift", "loops")))
    view = store.read.run("r")
    assert view.uptime is not None and view.row.flags == ["drift", "loops"]
    assert (view.uptime.first, view.uptime.last) == pytest.approx((3.1, 2.5))
    assert (view.uptime.minutes, view.uptime.rounds, view.uptime.change, view.uptime.drift) == (10, 7, -0.2, True)


def test_lookup_is_told_by_visible_tokens(store: Store) -> None:
    store.runs.save(replace(run("r", cell(spec=NGRAM), sample()), uptime=Uptime(1, 2, EARLY, LATE)))
    seen = store.read.run("r").uptime
    assert seen is not None and seen.first == pytest.approx(330 / 120) and seen.change is None


def test_a_run_that_was_not_followed_has_none(store: Store) -> None:
    store.runs.save(run("r", cell(), sample()))
    assert store.read.run("r").uptime is None and store.read.run("r").row.flags == []


def test_a_row_from_before_has_neither(store: Store) -> None:
    store.runs.save(replace(run("r", cell(), sample()), uptime=Uptime(1, 2, EARLY, LATE), flags=("drift",)))
    with store._db.write() as conn:
        conn.exec_driver_sql("UPDATE runs SET flags = NULL, uptime = NULL")
    assert (store.read.run("r").uptime, store.read.run("r").row.flags) == (None, None)


def test_an_image_comes_back_with_its_job(store: Store) -> None:
    shown = replace(WORKLOAD, prompts=(Prompt("i", "chart", "What?", True, "data:image/png;base64,iVBORw0K"),))
    wanted = cell(workload=replace(shown, kind="image", concurrency=8, uptime_min=2.5))
    number = store.sweeps.create({}, "", owner="me", tool_version="")
    store.queue.enqueue(number, [("k" * 64, wanted)])
    job = store.queue.claim("me", number)
    assert job is not None and job.cell == wanted and job.cell.series_key == wanted.series_key
