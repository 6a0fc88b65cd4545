"""The first page: what regressed, the sweep under way, the matrix, what was fixed; all of it, or what was asked for."""

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from matrix.store.views import Heatmap, Overview, SeriesRow
from web.board import Board, board
from web.filters import GROUPS, View, choices, group_name, view_from
from web.flips import shown_flips
from web.pace import interval, timed
from web.progress import progress
from web.site import Site

# What tells two rows apart beyond target, draft and spec; shown only where it differs inside one table.
_SECONDARY = ("launch", "workload", "hardware", "executor")
_MOST_FLIPS = 8
_MOST_CHANGES = 60


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/")
    def overview(view: Annotated[View, Depends(view_from)]) -> HTMLResponse:
        with timed() as cost:
            seen = site.store.overview(view.narrow)
            current = board(seen)
        site.boards.remember(current)
        shown = [h for h in seen.heatmaps if h.rows]
        tables = [heat_table(f"heat-{n}", heatmap, view.group) for n, heatmap in enumerate(shown)]
        values = live_values(site, seen, current, cost.seconds, view) | {"tables": tables, "runs": seen.runs}
        return site.render.page("overview.html", **values, **_asked(site, view))


def _asked(site: Site, view: View) -> dict[str, Any]:
    """The form, and what changed since the moment asked for."""
    lists = choices(site.store.choices(), view.narrow)
    if view.since is None:
        return {"choices": lists, "groups": GROUPS, "changes": None}
    found = [flip for flip in site.store.changes(view.since) if view.fits(flip)]
    words = Counter(flip.change for flip in found).most_common()
    changes = {"flips": shown_flips(found[:_MOST_CHANGES]), "words": words, "total": len(found)}
    return {"choices": lists, "groups": GROUPS, "changes": changes}


def live_values(site: Site, overview: Overview, current: Board, cost_s: float, view: View) -> dict[str, Any]:
    """What changes while a sweep runs, apart from the squares; `cost_s`: what it took to ask the store."""
    sweep = overview.sweep
    return {
        "view": view,
        "regressions": shown_flips(flip for flip in overview.regressions if view.fits(flip)),
        "fixed": shown_flips(flip for flip in overview.fixed if view.fits(flip)),
        "most": _MOST_FLIPS,
        "sweep": sweep,
        "progress": progress(sweep, site.render.clock()) if sweep else None,
        "mark": current.mark,
        "poll_s": interval(site.poll_s, cost_s),
    }


def heat_table(identity: str, heatmap: Heatmap, group: str = GROUPS[0]) -> dict[str, Any]:
    """The values of one heatmap for its template, its rows grouped by `group`; `identity` is its element id."""
    groups: dict[str, list[dict[str, Any]]] = {}
    differing = [name for name in _SECONDARY if len({getattr(row, name) for row in heatmap.rows}) > 1]
    for row in heatmap.rows:
        notes = _notes(row, group, differing)
        groups.setdefault(group_name(row, group), []).append({"row": row, "notes": notes})
    left = {"more": max(heatmap.total - len(heatmap.rows), 0), "older": heatmap.older}
    return {"id": identity, "engine": heatmap.engine, "revisions": heatmap.revisions, "groups": groups} | left


def _notes(row: SeriesRow, group: str, differing: list[str]) -> list[str]:
    """What the row says besides its spec config; the name that it is grouped by stands above it."""
    notes = [row.target] if group != GROUPS[0] else []
    notes += [row.draft] if row.draft and row.draft != row.spec and group != "draft" else []
    notes += [f"k {row.k}"] if row.k is not None else []
    return notes + [f"{name} {getattr(row, name) or 'default'}" for name in differing if name != group]
