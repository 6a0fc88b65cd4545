"""Pieces that a page with a running sweep asks for again and again."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse, Response

from web.asked import Number
from web.board import board
from web.filters import View, view_from
from web.pace import timed
from web.pages.bisections import bisection_values
from web.pages.overview import live_values
from web.pages.sweeps import sweep_values
from web.site import Site


def router(site: Site) -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/fragments/live")
    def live(view: Annotated[View, Depends(view_from)], have: str = "") -> Response:
        """The sweep strip, the regressions and the squares that changed; a reload when rows or columns changed."""
        with timed() as cost:
            overview = site.store.overview(view.narrow)
            current = board(overview)
        changes = site.boards.changes(have, current)
        if changes is None:
            return Response(headers={"HX-Refresh": "true"})
        site.boards.remember(current)
        return site.render.page(
            "fragments/live.html", changes=changes, **live_values(site, overview, current, cost.seconds, view)
        )

    @routes.get("/fragments/sweeps/{sweep_id}")
    def sweep(sweep_id: Number) -> HTMLResponse:
        return site.render.page("fragments/sweep.html", **sweep_values(site, site.store.sweep(sweep_id)))

    @routes.get("/fragments/bisections/{number}")
    def bisection(number: Number) -> HTMLResponse:
        return site.render.page("fragments/bisection.html", **bisection_values(site, site.store.bisection(number)))

    return routes
