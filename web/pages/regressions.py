"""Every standing regression by its cause, and on request those that were fixed since."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from web.explained import shown_groups
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/regressions")
    def regressions(standing: bool = True) -> HTMLResponse:
        groups = shown_groups(site.store.regressions(standing), site.store)
        return site.render.page("regressions.html", groups=groups, standing=standing)
