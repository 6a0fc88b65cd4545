"""The first page: what regressed, the sweep under way, the matrix, what was fixed."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.store.views import Heatmap, Overview, SeriesRow
from web.board import Board, board
from web.flips import shown_flips
from web.pace import interval, timed
from web.progress import progress
from web.site import Site
from web.squares import square_id

# What tells two rows apart beyond target, draft and spec; shown only where it differs inside one table.
_SECONDARY = ("launch", "workload", "hardware", "executor")


_MOST_FLIPS = 8


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/")
    def overview() -> HTMLResponse:
        with timed() as cost:
            seen = site.store.overview()
            current = board(seen)
        site.boards.remember(current)
        tables = [heat_table(f"heat-{n}", heatmap) for n, heatmap in enumerate(seen.heatmaps)]
        live = live_values(site, seen, current, cost.seconds)
        return site.render.page("overview.html", tables=tables, runs=seen.runs, **live)


def live_values(site: Site, overview: Overview, current: Board, cost_s: float) -> dict[str, Any]:
    """What changes while a sweep runs, apart from the squares; `cost_s`: what it took to ask the store."""
    sweep = overview.sweep
    return {
        "regressions": shown_flips(overview.regressions),
        "fixed": shown_flips(overview.fixed),
        "most": _MOST_FLIPS,
        "sweep": sweep,
        "progress": progress(sweep, site.render.clock()) if sweep else None,
        "mark": current.mark,
        "poll_s": interval(site.poll_s, cost_s),
    }


def heat_table(identity: str, heatmap: Heatmap) -> dict[str, Any]:
    """The values of one heatmap for its template; `identity` is its element id."""
    groups: dict[str, list[dict[str, Any]]] = {}
    differing = [name for name in _SECONDARY if len({getattr(row, name) for row in heatmap.rows}) > 1]
    for row in heatmap.rows:
        groups.setdefault(row.target, []).append(
            {"row": row, "notes": _notes(row, differing), "squares": _squares(row)}
        )
    return {"id": identity, "engine": heatmap.engine, "revisions": heatmap.revisions, "groups": groups}


def _notes(row: SeriesRow, differing: list[str]) -> list[str]:
    notes = [row.draft] if row.draft and row.draft != row.spec else []
    notes += [f"k {row.k}"] if row.k is not None else []
    return notes + [f"{name} {getattr(row, name) or 'default'}" for name in differing]


def _squares(row: SeriesRow) -> list[tuple[str, Any]]:
    return [(square_id(row.series_key, i), square) for i, square in enumerate(row.squares)]
