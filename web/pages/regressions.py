"""Every standing regression, and on request those that were fixed since."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from web.flips import shown_flips
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/regressions")
    def regressions(standing: bool = True) -> HTMLResponse:
        flips = shown_flips(site.store.regressions(standing))
        return site.render.page("regressions.html", flips=flips, standing=standing)
