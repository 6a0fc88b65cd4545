"""Judging again after somebody changed stored runs by hand."""

import pytest
from sqlalchemy import update

from matrix.app.judging import judge_all, judge_some, judgements
from matrix.core.state import Metric
from matrix.store import Store
from matrix.store.tables import runs
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
