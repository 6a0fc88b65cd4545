"""Measured evidence about models: the newest run of each series at each revision, with what the judge says of it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, case, func, select

from matrix.core.spec import Method
from matrix.store.baselines import batches
from matrix.store.order import followed
from matrix.store.queue import MEASURED
from matrix.store.resultrows import COLUMNS
from matrix.store.results import result_rows
from matrix.store.states import verdict_view, worst
from matrix.store.tables import runs, verdicts
from matrix.store.transactions import Transactions
from matrix.store.views import ResultRow, VerdictView


@dataclass(frozen=True, slots=True)
class Measured:
    """`verdict` is the worst of the revision's; `noise` is a share of the accept length, None where unknown."""

    row: ResultRow
    verdict: VerdictView
    noise: float | None
    target_content: str | None
    draft_content: str | None


class EvidenceReader:
    """Only reads; every question seeks in an index."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def targets(self) -> list[str]:
        """The names of all models that were served here, sorted."""
        found: list[str] = []
        with self._db.read() as conn:
            name = conn.execute(select(func.min(runs.c.target))).scalar()
            # From name to name by the index: reading every row for its name would take as long as there are runs.
            while name is not None:
                found.append(name)
                name = conn.execute(select(func.min(runs.c.target)).where(runs.c.target > name)).scalar()
        return found

    def with_content(self, beginning: str) -> list[str]:
        """The names of models whose content hash begins so, sorted."""
        asked = runs.c.target_content.startswith(beginning, autoescape=True)
        with self._db.read() as conn:
            return list(conn.execute(select(runs.c.target).where(asked).distinct().order_by(runs.c.target)).scalars())

    def of(self, targets: Iterable[str]) -> list[Measured]:
        """The newest runs with a draft of these models, a measured one before any other."""
        found: list[Measured] = []
        with self._db.read() as conn:
            for batch in batches(sorted(set(targets))):
                rows = _newest(conn, batch)
                said = _verdicts(conn, {row.series_key for row in rows})
                results = result_rows(conn, rows)
                found += [_measured(raw, row, said) for raw, row in zip(rows, results, strict=True)]
        return found


Said = dict[tuple[str, str], list[VerdictView]]


def _newest(conn: Connection, targets: list[str]) -> list[Row[Any]]:
    measured = case((runs.c.outcome.in_(MEASURED), 1), else_=0)
    rank = func.row_number().over(
        partition_by=(runs.c.series_key, runs.c.revision),
        order_by=(measured.desc(), runs.c.finished_at.desc(), runs.c.id.desc()),
    )
    asked = (runs.c.target.in_(targets), runs.c.method != Method.NONE.value, followed(runs.c.series_key))
    ranked = select(runs.c.id, rank.label("rank")).where(*asked).subquery()
    newest = select(*COLUMNS).join(ranked, ranked.c.id == runs.c.id).where(ranked.c.rank == 1)
    return list(conn.execute(newest.order_by(runs.c.id)))


def _verdicts(conn: Connection, keys: set[str]) -> Said:
    found: Said = defaultdict(list)
    for batch in batches(sorted(keys)):
        for row in conn.execute(select(verdicts).where(verdicts.c.series_key.in_(batch))):
            found[row.series_key, row.revision].append(verdict_view(row))
    return found


def _measured(raw: Row[Any], row: ResultRow, said: Said) -> Measured:
    mine = said.get((row.series_key, row.revision), [])
    noise = next((v.numbers.get("noise") for v in mine if v.metric == "accept-length"), None)
    known = noise if isinstance(noise, int | float) and not isinstance(noise, bool) else None
    return Measured(row, worst(mine), known, raw.target_content, raw.draft_content)
