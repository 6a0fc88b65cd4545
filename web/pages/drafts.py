"""Drafts, and one draft: where it works, its trends, and what others published and reported of it."""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.app.draft import DraftView
from matrix.core.errors import NotFoundError
from matrix.plan.span_words import span_words
from web.charts import accept_chart
from web.draft_charts import settings_chart, speedup_chart
from web.pages.overview import heat_table
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/drafts")
    def drafts() -> HTMLResponse:
        return site.render.page("drafts.html", names=site.store.drafts())

    @routes.get("/drafts/{name:path}")
    def draft(name: str) -> HTMLResponse:
        found = site.store.draft(name)
        tables = [heat_table(f"heat-{n}", heatmap) for n, heatmap in enumerate(found.heatmaps)]
        trends = [trend for key in found.trends if (trend := _trend(site, key)) is not None]
        told: dict[str, Any] = {"draft": found, "tables": tables, "trends": trends, "place": span_words}
        return site.render.page("draft.html", **told, **_plots(site, found))


def _plots(site: Site, found: DraftView) -> dict[str, Any]:
    return {
        "settings": settings_chart(found, site.store),
        "speedup": speedup_chart(found, one=False),
        "asked": urlencode({"draft": found.name}),
    }


def _trend(site: Site, key: str) -> dict[str, object] | None:
    try:
        series = site.store.series(key)
    except NotFoundError:
        return None
    chart = accept_chart(series)
    return {"series": series, "chart": chart, "points": len(series.points)} if chart is not None else None
