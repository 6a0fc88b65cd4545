"""One series: its trends, the figures behind them, and its flips."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.core.state import Metric
from web.charts import accept_chart, judged, speed_chart
from web.flips import shown_flips
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/series/{key}")
    def series(key: str) -> HTMLResponse:
        seen = site.store.series(key)
        return site.render.page(
            "series.html",
            series=seen,
            accept=accept_chart(seen),
            speed=speed_chart(seen),
            speed_judged=judged(seen, Metric.SPEED),
            flips=shown_flips(seen.flips),
        )
