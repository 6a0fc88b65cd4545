"""Answers that are files: feeds, badges, tables, plots and reports, each at an address of its own."""

from typing import Any

from fastapi import APIRouter

from web.errors import Problem
from web.files import badges, charts, feed, reports, tables
from web.site import Site

_REFUSED: dict[int | str, dict[str, Any]] = {
    422: {"model": Problem, "description": "A parameter is not what it must be"}
}


def router(site: Site) -> APIRouter:
    routes = APIRouter(tags=["files"], responses=_REFUSED)
    for kind in (feed, badges, tables, charts, reports):
        kind.add(routes, site)
    return routes
