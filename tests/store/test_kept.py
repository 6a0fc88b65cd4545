"""What is kept of rows never differs from what the database says."""

import itertools
from random import Random

import pytest

from matrix.app.judging import judge_all
from matrix.core.outcome import Outcome
from matrix.core.spec import BASELINE
from matrix.store import Store, open_store
from matrix.store.kept import Kept, kept_of
from matrix.store.narrow import EVERYTHING, Narrow
from matrix.store.revisions import newest_revisions
from matrix.store.views import SeriesRow
from tests.store.build import CPU, EAGLE, NGRAM, cell, key, run, sample

ASKED = (EVERYTHING, Narrow(method="ngram"), Narrow(state="unknown"), Narrow(revisions=2, rows=1))


def told(store: Store) -> list[object]:
    """All that pages read of many series at once, of a database in which nothing has been read before."""
    return [
        [store.read.overview(narrow) for narrow in ASKED],
        store.read.choices(),
        store.read.series_keys(),
    ]


def rows(store: Store) -> dict[str, SeriesRow]:
    return {row.spec: row for heatmap in store.read.overview().heatmaps for row in heatmap.rows}


@pytest.mark.parametrize("seed", range(2))
def test_a_store_that_was_asked_all_along_tells_what_a_new_one_does(store: Store, url: str, seed: int) -> None:
    random = Random(seed)
    places = list(itertools.product(("1.0", "1.1", "2.0.dev1", "main"), (BASELINE, EAGLE, NGRAM), (0, 1)))
    sweep = store.sweeps.create({}, "", owner="me", tool_version="1")
    for number, (revision, spec, boot) in enumerate(random.choices(places, k=12)):
        made = cell(revision, spec, boot=boot)
        if random.random() < 0.3:
            store.queue.enqueue(sweep, [(key(made), made)])
        outcome = random.choice((Outcome.OK, Outcome.OK, Outcome.LOAD_CRASH, Outcome.INFRA))
        found = [sample(accepted=random.randint(0, 30))]
        store.runs.save(run(f"r{number}", made, *found, outcome=outcome, at=float(random.randint(1, 30))))
        if number % 4 == 3:
            judge_all(store)
        fresh = open_store(url)
        assert told(store) == told(fresh)
        fresh.close()


def test_a_row_that_is_as_it_was_is_not_made_again(store: Store) -> None:
    store.runs.save(run("one", cell("1.0"), sample(), at=1.0))
    store.runs.save(run("two", cell("1.0", NGRAM), sample(), at=2.0))
    before = rows(store)
    store.runs.save(run("three", cell("1.0", NGRAM), sample(accepted=10), at=3.0))
    after = rows(store)
    assert after["eagle3"] is before["eagle3"]
    assert [square and square.run_id for square in after["ngram"].squares] == ["three"]


def test_a_new_series_takes_its_place_in_the_order_of_rows(store: Store) -> None:
    store.runs.save(run("one", cell("1.0", NGRAM), sample(), at=1.0))
    assert list(rows(store)) == ["ngram"]
    store.runs.save(run("two", cell("1.0", BASELINE), sample(), at=2.0))
    assert list(rows(store)) == ["baseline", "ngram"]
    store.runs.save(run("three", cell("1.0", hardware=CPU), sample(), at=3.0))
    assert list(rows(store)) == ["baseline", "ngram", "eagle3"]


def test_what_was_read_in_a_transaction_that_failed_is_not_kept(store: Store) -> None:
    store.runs.save(run("one", cell("1.0"), sample(), at=1.0))
    assert store.read.overview().heatmaps[0].revisions == ["1.0"]
    with pytest.raises(ZeroDivisionError), store._db.write() as conn:
        conn.exec_driver_sql("UPDATE series SET runs = runs + 1")
        conn.exec_driver_sql("UPDATE runs SET revision = '9.9'")
        assert newest_revisions(conn, "vllm") == ["9.9"]
        raise ZeroDivisionError
    store.runs.save(run("two", cell("2.0"), sample(), at=2.0))
    assert store.read.overview().heatmaps[0].revisions == ["1.0", "2.0"]


def test_of_many_values_those_used_least_lately_are_forgotten() -> None:
    kept = Kept()
    for number in range(3000):
        kept.put(number, "mark", str(number))
        kept.get(0, "mark")
    assert (kept.get(0, "mark"), kept.get(1, "mark"), kept.get(2999, "mark")) == ("0", None, "2999")
    assert kept.get(2999, "other mark") is None and kept.last(2999) == ("mark", "2999")


def test_a_connection_that_belongs_to_no_store_keeps_nothing(store: Store) -> None:
    with store._db._engine.connect() as conn:
        conn.info.clear()
        assert kept_of(conn) is not kept_of(conn)
