"""Squares say what the runs say, however they came to be: kept run by run, or made anew from all."""

import itertools
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import func, select

from matrix.app.judging import judge_all
from matrix.core.cell import ASIDE
from matrix.core.errors import NotFoundError
from matrix.core.outcome import Outcome
from matrix.core.spec import BASELINE
from matrix.core.state import Metric, State, Verdict
from matrix.store import Store, open_store
from matrix.store.narrow import Narrow
from matrix.store.revisions import newest_revisions
from matrix.store.squares import rebuild
from matrix.store.tables import runs, series, squares
from tests.store.build import CPU, EAGLE, NGRAM, baseline_run, cell, run, sample

REVISIONS = ("0.9.0", "0.10.0", "0.11.0.dev1+g0123456", "0.11.0")


def kept(store: Store) -> list[tuple[Any, ...]]:
    """All that both tables hold, but for how often a series changed."""
    with store._db.read() as conn:
        columns = [c for c in series.c if c.name != "mark"]
        return [
            *map(tuple, conn.execute(select(*columns).order_by(series.c.series_key))),
            *map(tuple, conn.execute(select(squares).order_by(*squares.primary_key.columns))),
        ]


@pytest.mark.parametrize("seed", range(4))
def test_kept_run_by_run_they_are_what_all_runs_make(store: Store, seed: int) -> None:
    random = Random(seed)
    specs = (BASELINE, EAGLE, NGRAM, replace(EAGLE, k=2))
    for number, (revision, spec) in enumerate(random.choices(list(itertools.product(REVISIONS, specs)), k=40)):
        boot, at = random.choice((0, 0, 1)), float(random.randint(1, 30))
        outcome = random.choice((Outcome.OK, Outcome.OK, Outcome.LOAD_CRASH, Outcome.INFRA))
        found = [sample(p, accepted=random.randint(0, 30), seconds=random.random() + 0.5) for p in ("code-1", "chat-1")]
        store.runs.save(run(f"r{number}", cell(revision, spec, boot=boot), *found, outcome=outcome, at=at))
        if number % 10 == 9:
            judge_all(store)
    before = kept(store)
    with store._db.write() as conn:
        rebuild(conn)
    assert kept(store) == before and len(before) > 10


def test_a_later_baseline_moves_the_speed_up_beside_it(store: Store) -> None:
    store.runs.save(run("r", cell(), sample(tokens=31, seconds=1.0), at=1.0))
    key = cell().series_key
    assert store.read.series(key).points[0].speedup is None
    store.runs.save(baseline_run("base", at=2.0))
    assert store.read.series(key).points[0].speedup == pytest.approx(31 / 16)


def test_an_infra_failure_hides_no_measured_run_and_a_new_run_is_not_judged_yet(store: Store) -> None:
    key = cell().series_key
    store.runs.save(run("good", cell(), sample(), at=1.0))
    store.series.save_verdicts(key, {"good": [Verdict(Metric.ACCEPT_LENGTH, State.HEALTHY, "fine")]})
    store.runs.save(run("lost", cell(), outcome=Outcome.INFRA, at=2.0))
    (square,) = store.read.overview().heatmaps[0].rows[0].squares
    assert square is not None and (square.run_id, square.state, square.reason) == ("good", "healthy", "fine")
    store.runs.save(run("again", cell(), sample(), at=3.0))
    (square,) = store.read.overview().heatmaps[0].rows[0].squares
    assert square is not None and (square.run_id, square.state, square.reason) == ("again", "unknown", "not judged yet")


def test_a_database_from_before_is_filled_once(empty_url: str) -> None:
    store = open_store(empty_url)
    for number, revision in enumerate(REVISIONS):
        store.runs.save(baseline_run(f"b{number}", revision, at=float(number)))
        store.runs.save(run(f"r{number}", cell(revision), sample(), at=float(number)))
    judge_all(store)
    before = kept(store)
    config = Config()
    config.set_main_option("script_location", "matrix.store:migrations")
    with store._db.write() as conn:
        config.attributes["connection"] = conn
        command.downgrade(config, "0009")
    store.close()
    store = open_store(empty_url)
    assert kept(store) == before
    store.close()


def test_the_first_page_is_narrowed_and_says_how_much_it_leaves_out(store: Store) -> None:
    for number, revision in enumerate(REVISIONS):
        for spec in (EAGLE, NGRAM):
            store.runs.save(run(f"{spec.name}{number}", cell(revision, spec), sample(), at=float(number)))
    store.series.save_verdicts(
        cell(spec=NGRAM).series_key, {"ngram3": [Verdict(Metric.ACCEPT_LENGTH, State.COLLAPSED, "")]}
    )
    (heat,) = store.read.overview(Narrow(revisions=2, rows=1)).heatmaps
    assert (heat.revisions, heat.older, len(heat.rows), heat.total) == (list(REVISIONS[2:]), 2, 1, 2)
    (heat,) = store.read.overview(Narrow(method="ngram")).heatmaps
    assert [row.spec for row in heat.rows] == ["ngram"] and heat.revisions == list(REVISIONS)
    (heat,) = store.read.overview(Narrow(state="collapsed")).heatmaps
    assert [row.spec for row in heat.rows] == ["ngram"]
    assert store.read.overview(Narrow(engine="sglang")).heatmaps == []


def test_trials_with_pinned_packages_are_not_followed(store: Store) -> None:
    trial = replace(cell(), pins=("torch==2.0",))
    store.runs.save(run("trial", trial, sample()))
    assert trial.series_key.startswith(ASIDE)
    assert store.read.overview().heatmaps == [] and store.evidence.targets() == []
    assert [p.run_id for p in store.read.series(trial.series_key).points] == ["trial"]


def test_revisions_are_told_newest_first_for_each_engine(store: Store) -> None:
    for number, revision in enumerate(("0.9.0", "0.10.0", "0.9.0", "main")):
        store.runs.save(run(f"r{number}", replace(cell(revision), hardware=replace(CPU, cores=number)), sample()))
    with store._db.read() as conn:
        assert newest_revisions(conn, "vllm") == ["main", "0.10.0", "0.9.0"]
        assert newest_revisions(conn, "none") == []
        assert conn.execute(select(func.count(runs.c.id))).scalar() == 4


def test_a_run_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    for run_id in ("abc1", "abc2", "abd", "ABC3"):
        store.runs.save(run(run_id, cell(), sample()))
    assert store.read.run("abd").row.run_id == store.read.run("abd"[:3]).row.run_id == "abd"
    assert store.read.run("A").row.run_id == "ABC3"
    for prefix, words in (("abc", "2 runs begin"), ("", "no run"), ("x%", "no run")):
        with pytest.raises(NotFoundError, match=words):
            store.read.run(prefix)
