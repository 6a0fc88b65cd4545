"""What is stored of one revision of an engine: its cells, its artifacts, and the flips that it began or ended."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.errors import NotFoundError
from matrix.store.baselines import batches
from matrix.store.contents import get_lock
from matrix.store.flipviews import flip_views
from matrix.store.order import followed, recency_key, revision_key
from matrix.store.resultrows import COLUMNS
from matrix.store.results import result_rows
from matrix.store.revisions import newest_revisions
from matrix.store.states import verdict_view
from matrix.store.tables import jobs, runs, verdicts
from matrix.store.views import FlipView, ResultRow, VerdictView


@dataclass(frozen=True, slots=True)
class ReleaseCell:
    """The newest run of a series at the revision (a measured one before any other), and what was judged there."""

    row: ResultRow
    verdicts: list[VerdictView]


@dataclass(frozen=True, slots=True)
class ReleaseArtifact:
    """What was served: an environment or image by its digest, with its package lock, and how many runs used it."""

    kind: str
    ref: str
    digest: str
    install: str
    runs: int
    lock: list[str]


@dataclass(frozen=True, slots=True)
class ReleaseRows:
    """`previous` and `next` are the neighbouring revisions that were run, None at the ends.

    `flips` are changes of state seen at this revision, `later` those that the revision after it brought.
    """

    engine: str
    revision: str
    previous: str | None
    next: str | None
    cells: list[ReleaseCell]
    artifacts: list[ReleaseArtifact]
    flips: list[FlipView]
    later: list[FlipView]


def release_rows(conn: Connection, engine: str, revision: str) -> ReleaseRows:
    """NotFoundError where the engine has no run at this revision and none is planned there."""
    order = newest_revisions(conn, engine)
    if revision not in order and _planned(conn, engine, revision):
        order = sorted([*order, revision], key=revision_key, reverse=True)
    if revision not in order:
        known = f"known: {', '.join(order[:6])}" if order else "`matrix results` lists what was run"
        raise NotFoundError(f"no run of {engine} {revision}", hint=known)
    here = order.index(revision)
    return ReleaseRows(
        engine=engine,
        revision=revision,
        previous=order[here + 1] if here + 1 < len(order) else None,
        next=order[here - 1] if here else None,
        cells=_cells(conn, engine, revision),
        artifacts=_artifacts(conn, engine, revision),
        flips=[f for f in flip_views(conn, to_revision=revision) if f.engine == engine],
        later=[f for f in flip_views(conn, from_revision=revision) if f.engine == engine],
    )


def _planned(conn: Connection, engine: str, revision: str) -> bool:
    asked = (jobs.c.engine == engine, jobs.c.revision == revision)
    return conn.execute(select(jobs.c.id).where(*asked).limit(1)).first() is not None


def _cells(conn: Connection, engine: str, revision: str) -> list[ReleaseCell]:
    asked = (runs.c.engine == engine, runs.c.revision == revision, followed(runs.c.series_key))
    newest: dict[str, Row[Any]] = {}
    for row in sorted(conn.execute(select(*COLUMNS).where(*asked)), key=recency_key):
        newest[row.series_key] = row
    said = _verdicts(conn, revision, sorted(newest))
    found = result_rows(conn, list(newest.values()))
    found.sort(key=lambda row: (row.target, row.draft or "", row.spec, row.launch, row.workload, row.hardware))
    return [ReleaseCell(row, said[row.series_key]) for row in found]


def _verdicts(conn: Connection, revision: str, keys: list[str]) -> dict[str, list[VerdictView]]:
    said: dict[str, list[VerdictView]] = defaultdict(list)
    for batch in batches(keys):
        asked = (verdicts.c.series_key.in_(batch), verdicts.c.revision == revision)
        for row in conn.execute(select(verdicts).where(*asked)):
            said[row.series_key].append(verdict_view(row))
    return said


def _artifacts(conn: Connection, engine: str, revision: str) -> list[ReleaseArtifact]:
    names = ("artifact_kind", "artifact_ref", "artifact_digest", "install", "lock_ref")
    asked = (runs.c.engine == engine, runs.c.revision == revision, runs.c.artifact_digest.is_not(None))
    counted: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in conn.execute(select(*(runs.c[name] for name in names)).where(*asked, followed(runs.c.series_key))):
        counted[tuple(row)] += 1
    ordered = sorted(counted.items(), key=lambda item: -item[1])
    return [
        ReleaseArtifact(kind or "unknown", ref or "", digest, install, number, get_lock(conn, lock))
        for (kind, ref, digest, install, lock), number in ordered
    ]
