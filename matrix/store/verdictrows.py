"""Verdicts as rows of the tables `verdicts` and `falls`, which are written and forgotten together."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from sqlalchemy import Connection, delete, insert

from matrix.core.state import Metric, Verdict
from matrix.store.baselines import batches
from matrix.store.samplerow import Values
from matrix.store.tables import verdicts
from matrix.store.tables.judged import falls, judged_revisions
from matrix.store.texts import stored_text


def verdict_rows(series_key: str, run_id: str, revision: str, said: Iterable[Verdict]) -> list[Values]:
    """Rows of `verdicts`, one a metric."""
    return [
        {
            "series_key": series_key,
            "run_id": run_id,
            "metric": verdict.metric.value,
            "revision": revision,
            "state": verdict.state.value,
            "reason": stored_text(verdict.reason),
            "numbers": dict(verdict.numbers),
        }
        for verdict in said
    ]


def fall_rows(
    series_key: str, engine: str, revision: str, said: Iterable[Verdict], q: Mapping[tuple[str, Metric], float]
) -> list[Values]:
    """Rows of `falls`, one for each of the verdicts that is a comparison."""
    return [
        {
            "engine": engine,
            "revision": revision,
            "series_key": series_key,
            "metric": verdict.metric.value,
            "p": p,
            "q": q.get((revision, verdict.metric)),
        }
        for verdict in said
        if isinstance(p := dict(verdict.numbers).get("p_fall"), float) and isfinite(p)
    ]


def put_verdicts(conn: Connection, said: Sequence[Values], p_values: Sequence[Values]) -> None:
    """Insert rows of both tables."""
    for table, rows in ((verdicts, said), (falls, p_values)):
        if rows:
            conn.execute(insert(table), rows)


def forget(conn: Connection, series_key: str, revisions: Sequence[str] | None = None) -> None:
    """Delete all that was concluded of these revisions of a series and is remembered of them; by default of all."""
    for table in (verdicts, falls, judged_revisions):
        mine = delete(table).where(table.c.series_key == series_key)
        parts = [mine] if revisions is None else [mine.where(table.c.revision.in_(of)) for of in batches(revisions)]
        for part in parts:
            conn.execute(part)
