"""One sweep: its cells, their phases, elapsed and remaining time."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse, RedirectResponse, Response

from matrix.core.spec import BASELINE
from matrix.store.views import SweepView
from web.asked import Number
from web.progress import progress
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/sweeps")
    @routes.get("/sweeps/latest")
    def latest() -> Response:
        sweep = site.store.latest_sweep()
        if sweep is None:
            return site.render.page("no_sweep.html")
        return RedirectResponse(f"/sweeps/{sweep.sweep_id}", status_code=307)

    @routes.get("/sweeps/{sweep_id}")
    def one(sweep_id: Number) -> HTMLResponse:
        return site.render.page("sweep.html", **sweep_values(site, site.store.sweep(sweep_id)))


def sweep_values(site: Site, sweep: SweepView) -> dict[str, Any]:
    return {
        "sweep": sweep,
        "progress": progress(sweep, site.render.clock()),
        "poll_s": site.poll_s,
        "own_page": True,
        "baseline": BASELINE.name,
    }
