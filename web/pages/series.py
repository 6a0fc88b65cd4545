"""One series: its trends, the figures behind them, and its flips."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.core.state import Metric
from matrix.store.views import SeriesView
from web.charts import accept_chart, judged, speed_chart
from web.explained import shown_regressions
from web.flips import shown_flips
from web.site import Site

_NEWEST = 50
"""Revisions that a page shows unless it is asked for all: they fit on a screen and are drawn quickly."""


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/series/{key}")
    def series(key: str, every: bool = False, plots: bool = False) -> HTMLResponse:
        seen = site.store.series(key, None if every else _NEWEST)
        # Drawing takes several times as long as all the rest, so the page asks for its plots once it is there.
        drawn = _plots(seen) if plots else None
        return site.render.page(
            "series.html",
            series=seen,
            every=every,
            drawn=drawn,
            flips=shown_flips(seen.flips),
            explained={r.item.flip_id: r for r in shown_regressions(site.store.falls(key), site.store)},
            expectations=site.store.expectations(seen.points[-1].run_id) if seen.points else [],
        )

    @routes.get("/series/{key}/plots")
    def plots(key: str, every: bool = False) -> HTMLResponse:
        """The plots alone, for a page that has come already."""
        seen = site.store.series(key, None if every else _NEWEST)
        return site.render.page("_plots.html", series=seen, drawn=_plots(seen))


def _plots(seen: SeriesView) -> dict[str, Any]:
    return {
        "accept": accept_chart(seen),
        "speed": speed_chart(seen),
        "speed_judged": judged(seen, Metric.SPEED),
    }
