"""One series: its trends, the figures behind them, and its flips."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.core.state import Metric
from web.charts import accept_chart, judged, speed_chart
from web.explained import shown_regressions
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
            explained={r.item.flip_id: r for r in shown_regressions(site.store.regressions(False, key), site.store)},
            expectations=site.store.expectations(seen.points[-1].run_id) if seen.points else [],
        )
