"""The pages; each module gives the values of one template."""

from fastapi import APIRouter

from web.pages import bisections, compare, compat, engines, overview, regressions, runs, series, sweeps
from web.site import Site


def router(site: Site) -> APIRouter:
    routes = APIRouter(include_in_schema=False)
    for page in (overview, compat, compare, engines, regressions, series, runs, sweeps, bisections):
        page.add(routes, site)
    return routes
