"""`matrix compat` from a database to its answer, against the brute-force oracle."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from matrix.app.compat import answer
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.errors import NotFoundError
from matrix.core.hardware import Hardware
from matrix.core.report import Report
from matrix.core.spec import Method
from matrix.core.state import Metric, State, Verdict
from matrix.store import Store, open_store
from tests.app.stored import around, cell, samples
from tests.plan.compat_oracle import Row, oracle
from tests.plan.compat_random import asked, question, rows, versions
from tests.store import build

Said = defaultdict[str, dict[str, list[Verdict]]]


@pytest.mark.parametrize(("databases", "questions"), [(6, 50), pytest.param(100, 100, marks=pytest.mark.long)])
def test_the_answer_agrees_with_the_oracle(databases: int, questions: int, tmp_path: Path) -> None:
    random, wrong, kinds = Random(7), [], Counter[str]()
    for number in range(databases):
        store = open_store(f"sqlite:///{tmp_path}/{number}.db")
        evidence = list(_kept(store, rows(random, known=False)))
        for query in (question(random) for _ in range(questions)):
            said, meant = _said(store, query), _worded(oracle(evidence, query), evidence)
            kinds[meant[0]] += 1
            wrong += [] if said == (meant if evidence else ("unknown", None)) else [(evidence, query, said, meant)]
        store.close()
    assert wrong == []
    assert {"recommended", "reported", "broken", "not-tested"} <= set(kinds)


def _said(store: Store, query: Row) -> tuple[str, Any]:
    """(answer, what identifies the choice): a run's id, or the words of a report."""
    try:
        found = answer(store, asked(query))
    except NotFoundError:
        return "unknown", None
    best = found.recommended
    if best is None:
        return found.answer, None
    return found.answer, best.reason if best.evidence == "reported" else str(best.link).rpartition("/")[2]


def _worded(meant: tuple[str, Any], evidence: list[Row]) -> tuple[str, Any]:
    """The oracle's choice as `_said` spells it."""
    texts = {row["ref"]: row["text"] for row in evidence if row["kind"] == "reported"}
    return meant[0], texts.get(meant[1], meant[1])


def _kept(store: Store, evidence: list[Row]) -> Iterator[Row]:
    """Store each row and give it back as it can be read: a run's key of its series, a day in place of a moment."""
    said: Said = defaultdict(dict)
    for row in evidence:
        if row["kind"] == "reported":
            day = datetime(2026, 1, int(row["at"]), tzinfo=UTC)
            report = _report(row, f"{day:%Y-%m-%d}")
            store.reports.add([report], 0.0)
            yield row | {"at": day.timestamp(), "ref": report.key, "text": row["ref"]}
        else:
            yield _run(store, row, said)
    for key, verdicts in said.items():
        store.series.save_verdicts(key, verdicts)


def _report(row: Row, day: str) -> Report:
    return Report(
        target="model",
        engine=row["engine"],
        state=State(row["state"]),
        link="https://example.org",
        date=day,
        draft=row["draft"] or "",
        method=row["method"] or "unknown",
        versions=versions(row),
        hardware=row["gpu"] or "",
        k=row["k"],
        speedup=row["speedup"],
        text=row["ref"],
    )


def _run(store: Store, row: Row, said: Said) -> Row:
    """Store a run like the row, and its verdict; its series is that of the cell, so rows may share one."""
    made = _cell(row)
    run_id = f"{row['ref']}-{made.series_key[:6]}"
    store.runs.save(
        build.run(run_id, made, *samples(around(1.5), k=row["k"]), at=row["at"], noise={}, resolved={"k": row["k"]})
    )
    said[made.series_key][run_id] = [Verdict(Metric.ACCEPT_LENGTH, State(row["state"]), row["ref"])]
    return row | {"series": made.series_key, "ref": run_id, "speedup": None}


def _cell(row: Row) -> Cell:
    made = cell(
        versions(row),
        engine=row["engine"],
        target="model",
        draft=row["draft"],
        method=Method(row["method"]),
        k=row["k"],
    )
    launch = LaunchOptions(flags=("--series", row["series"]))
    return replace(made, launch=launch, hardware=Hardware("Xeon", 16, row["gpu"], 1))
