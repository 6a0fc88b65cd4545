"""The pages; each module gives the values of one template."""

from fastapi import APIRouter

from web.pages import bisections, compare, compat, drafts, engines, overview, regressions, runs, series, status, sweeps
from web.site import Site


def router(site: Site) -> APIRouter:
    routes = APIRouter(include_in_schema=False)
    for page in (overview, compat, compare, engines, drafts, regressions, series, runs, sweeps, bisections, status):
        page.add(routes, site)
    return routes
