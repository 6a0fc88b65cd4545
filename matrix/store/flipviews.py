"""Flips as pages and `matrix regressions` show them."""

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, select

from matrix.core.state import Change
from matrix.store.info import SeriesInfo, infos
from matrix.store.tables import flips
from matrix.store.views import FlipView

REGRESSIONS = (Change.REGRESSION, Change.NEW_FAILURE)
FIXES = (Change.FIXED, Change.NEW_PASS)
_SAME = {f.name for f in fields(FlipView)} & set(flips.c.keys())


def flip_views(
    conn: Connection,
    *,
    flip_id: int | None = None,
    series_key: str | None = None,
    changes: Collection[Change] | None = None,
    standing: bool | None = None,
    announced: bool | None = None,
    from_revision: str | None = None,
    to_revision: str | None = None,
    since: float | None = None,
    limit: int | None = None,
) -> list[FlipView]:
    """Flips, the newest first; None does not filter. `since` keeps those first seen at that moment or later."""
    query = select(flips).order_by(flips.c.created_at.desc(), flips.c.id.desc()).limit(limit)
    if flip_id is not None:
        query = query.where(flips.c.id == flip_id)
    if series_key is not None:
        query = query.where(flips.c.series_key == series_key)
    if changes is not None:
        query = query.where(flips.c.change.in_([change.value for change in changes]))
    if standing is not None:
        query = query.where(flips.c.standing == standing)
    if announced is not None:
        told = flips.c.announced_at
        query = query.where(told.is_not(None) if announced else told.is_(None))
    for column, revision in ((flips.c.from_revision, from_revision), (flips.c.to_revision, to_revision)):
        query = query if revision is None else query.where(column == revision)
    if since is not None:
        query = query.where(flips.c.created_at >= since)
    rows = conn.execute(query).all()
    known = infos(conn, {row.series_key for row in rows})
    return [
        FlipView(flip_id=row.id, **{name: getattr(row, name) for name in _SAME}, **_about(known.get(row.series_key)))
        for row in rows
    ]


def _about(info: SeriesInfo | None) -> dict[str, Any]:
    if info is None:
        return {"series": "", "engine": "", "target": "", "draft": None, "method": "", "spec": "", "workload": ""}
    return {
        "series": info.title,
        "engine": info.engine,
        "target": info.target,
        "draft": info.draft,
        "method": info.method,
        "spec": info.spec,
        "workload": info.workload,
    }
