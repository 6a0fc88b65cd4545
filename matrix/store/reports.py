"""Reports of others: kept once each, whatever file they came from."""

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Row, select

from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.state import State
from matrix.store.baselines import batches
from matrix.store.tables import reports
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions, insert_new

_NAMES = tuple(f.name for f in fields(Report))
_LONGEST = 2000


class Reports:
    """Adds and reads reports; none is ever changed."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def add(self, found: Iterable[Report], now: float) -> int:
        """Store those that are not there yet, all or none; returns how many were new."""
        with self._db.write() as conn:
            rows = ({**_row(report), "imported_at": now} for report in found)
            return sum(insert_new(conn, reports, row, "key") for row in rows)

    def targets(self) -> list[str]:
        """The names of all models that somebody reported about, sorted."""
        with self._db.read() as conn:
            return list(conn.execute(select(reports.c.target).distinct().order_by(reports.c.target)).scalars())

    def of(self, targets: Iterable[str]) -> list[tuple[str, Report]]:
        """(key, report) of these models, in the order of import."""
        found = []
        with self._db.read() as conn:
            for batch in batches(sorted(set(targets))):
                rows = conn.execute(select(reports).where(reports.c.target.in_(batch)).order_by(reports.c.id))
                found += [(row.key, _report(row)) for row in rows]
        return found

    def with_drafts(self) -> list[tuple[str, Report]]:
        """(key, report) of all that name a draft, in the order of import."""
        with self._db.read() as conn:
            rows = conn.execute(select(reports).where(reports.c.draft != "").order_by(reports.c.id))
            return [(row.key, _report(row)) for row in rows]


def _row(report: Report) -> dict[str, Any]:
    texts = {name: stored_text(v, _LONGEST) for name, v in asdict(report).items() if type(v) is str}
    words = {"state": report.state.value, "bonus": report.bonus.value, "key": report.key}
    return asdict(report) | texts | words


def _report(row: Row[Any]) -> Report:
    values = {name: getattr(row, name) for name in _NAMES}
    return Report(**values | {"state": State(row.state), "bonus": Bonus(row.bonus)})
