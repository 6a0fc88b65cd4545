"""All that can be changed through the dashboard: its forms, and the same for programs."""

from fastapi import APIRouter

from web.site import Site
from web.writing import api, forms, login


def router(site: Site) -> APIRouter:
    routes = APIRouter()
    for module in (login, forms, api):
        module.add(routes, site)
    return routes
