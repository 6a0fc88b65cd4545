"""Which revisions there are, without going over all runs."""

from collections.abc import Iterable
from functools import lru_cache

from sqlalchemy import Connection, func, select

from matrix.store.baselines import batches
from matrix.store.kept import kept_of
from matrix.store.order import revision_key
from matrix.store.tables import runs, series, squares


def newest_revisions(conn: Connection, engine: str) -> list[str]:
    """All revisions of an engine that were run, the newest first."""
    # Runs are only ever added, so there are new revisions only where there are more of them.
    count = conn.execute(select(func.sum(series.c.runs)).where(series.c.engine == engine)).scalar_one()
    kept = kept_of(conn)
    found = kept.get(("revisions", engine), count)
    if found is None:
        found = newest_first(_revisions(conn, engine))
        kept.put(("revisions", engine), count, found)
    return list(found)


def _revisions(conn: Connection, engine: str) -> tuple[str, ...]:
    # From one to the next by the index: reading every row for its revision would take as long as there are runs.
    mine = runs.c.engine == engine
    first = select(func.min(runs.c.revision).label("revision")).where(mine)
    steps = first.cte("steps", recursive=True)
    after = select(func.min(runs.c.revision)).where(mine, runs.c.revision > steps.c.revision).scalar_subquery()
    steps = steps.union_all(select(after).where(steps.c.revision.is_not(None)))
    return tuple(conn.scalars(select(steps.c.revision).where(steps.c.revision.is_not(None))))


@lru_cache(maxsize=64)
def newest_first(revisions: tuple[str, ...]) -> tuple[str, ...]:
    """The revisions in order: nearly all series were run at the same ones, so they are sorted once."""
    return tuple(sorted(revisions, key=revision_key, reverse=True))


def revisions_of_series(conn: Connection, keys: Iterable[str]) -> list[str]:
    """All revisions that these series were run at, the newest first."""
    found: set[str] = set()
    for batch in batches(sorted(keys)):
        found |= set(conn.scalars(select(squares.c.revision).where(squares.c.series_key.in_(batch)).distinct()))
    return sorted(found, key=revision_key, reverse=True)
