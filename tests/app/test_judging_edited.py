"""Judging again after somebody changed stored runs by hand."""

import pytest
from sqlalchemy import Boolean, Double, Integer, Table, update

from matrix.app.attribute import regressions
from matrix.app.judging import judge_all, judge_some, judgements
from matrix.core.state import Metric, State
from matrix.store import Store
from matrix.store.tables import runs, samples
from tests.app.stored import cell, served

KEY = cell("1.0").series_key


@pytest.mark.parametrize("moved_to", ["0.9", "1.1", "1.2", "2.0"])
@pytest.mark.parametrize("part", [False, True])
def test_a_run_whose_revision_was_changed_is_judged_where_it_is_now(stored: Store, moved_to: str, part: bool) -> None:
    ids = [served(stored, cell(f"1.{i}"), length, at=1000 + i) for i, length in enumerate((2.2, 1.0, 2.2))]
    judge_all(stored)
    with stored.series._db.write() as conn:
        conn.execute(update(runs).where(runs.c.run_id == ids[1]).values(revision=moved_to))
    judge_some(stored, [KEY]) if part else judge_all(stored)
    said = dict(stored.series.states(KEY, Metric.ACCEPT_LENGTH))
    wanted = {of.revision: of.state(Metric.ACCEPT_LENGTH) for of in judgements(stored)[KEY].revisions}
    assert said == wanted
    if moved_to != "1.1":
        assert "1.1" not in said


COUNTERS = {"steps", "proposed", "accepted", "decode_steps", "completion_tokens", "requests"}


def damaged(table: Table) -> list[str]:
    """The numeric columns that name nothing else."""
    numeric = [c for c in table.c if isinstance(c.type, Integer | Double) and not isinstance(c.type, Boolean)]
    return [c.name for c in numeric if not c.primary_key and not c.foreign_keys]


@pytest.mark.parametrize("value", [float("-inf"), 9e99])
@pytest.mark.parametrize("table", [runs, samples], ids=str)
def test_no_number_that_somebody_wrote_into_a_run_stops_the_judge(stored: Store, table: Table, value: float) -> None:
    for i, length in enumerate((2.2, 1.3, 2.2)):
        served(stored, cell(f"1.{i}"), length, at=1000 + i)
    where = runs.c.id == 2 if table is runs else (samples.c.run == 2) & (samples.c.ordinal == 3)
    for name in damaged(table):
        with stored.series._db.write() as conn:
            before = conn.execute(table.select().where(where)).one()._mapping[name]
            conn.execute(update(table).where(where).values({name: value}))
        judge_all(stored)
        assert len(list(stored.read.results())) == 3 and regressions(stored, None) is not None
        if table is samples and name in COUNTERS:
            told = judgements(stored)[KEY].revisions[1].verdict(Metric.ACCEPT_LENGTH)
            assert told.state is State.UNKNOWN and "counters of p03 are impossible" in told.reason
        with stored.series._db.write() as conn:
            conn.execute(update(table).where(where).values({name: before}))
