"""The service itself: how often it errs, what it is doing, and what it has room for."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from web.progress import progress
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/status")
    def status() -> HTMLResponse:
        seen = site.store.status()
        told = progress(seen.sweep, site.render.clock()) if seen.sweep else None
        return site.render.page("status.html", seen=seen, rows=seen.rows, sweep=seen.sweep, progress=told)
