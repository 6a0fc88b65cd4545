"""Cells that were run: their names and newest run, without anything measured."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.store.order import followed, recency_key
from matrix.store.tables import runs


@dataclass(frozen=True, slots=True)
class RunCell:
    """A series at one revision, with its newest run (a measured one before any other)."""

    run_id: str
    series_key: str
    engine: str
    revision: str
    target: str
    draft: str | None
    spec: str
    method: str
    launch: str
    workload: str
    hardware: str
    executor: str
    outcome: str
    finished_at: float


_COLUMNS = tuple(runs.c[f.name] for f in fields(RunCell))


def run_cells(conn: Connection, wanted: Mapping[str, str]) -> list[RunCell]:
    """The cells whose columns have exactly these values. Of cells that share all names the newest alone: a changed
    file or machine began another series.
    """
    newest: dict[tuple[str, ...], Row[Any]] = {}
    conditions = [followed(runs.c.series_key), *(runs.c[name] == value for name, value in wanted.items())]
    for row in sorted(conn.execute(select(runs.c.id, *_COLUMNS).where(*conditions)), key=recency_key):
        newest[tuple(row)[3:-2]] = row
    return [RunCell(*tuple(row)[1:]) for row in newest.values()]
