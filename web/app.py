"""The application: routes, headers and error pages around one reader."""

import time
from collections.abc import Callable

from fastapi import FastAPI

import matrix
from web import api, errors, files, fragments, pages
from web import measures as measured
from web.caching import Caching, Version
from web.headers import SecurityHeaders
from web.hosts import AllowedHosts
from web.methods import HeadAsGet
from web.reader import Reader
from web.render import Renderer
from web.site import Site
from web.static_files import mount_static


def create_app(
    store: Reader,
    *,
    poll_s: float = 2.0,
    clock: Callable[[], float] = time.time,
    hosts: frozenset[str] | None = None,
    version: Version = lambda: None,
    measures: Callable[[], bytes] | None = None,
) -> FastAPI:
    """The dashboard over `store`, whose read methods are called from several threads at once.

    `poll_s`: seconds between two updates of a running sweep. `clock`: Unix seconds now, for elapsed and relative times.
    `hosts`: names to answer to, None for all. `version`: tells two states of the store apart, so that answers can be
    kept; None of it keeps none. `measures`: the text of `/metrics`, without which there is no such page.
    """
    # FastAPI's own documentation pages load scripts from elsewhere, so only the description itself is served.
    app = FastAPI(
        title="specmatrix",
        version=matrix.__version__,
        summary="Accept length of speculative decoding by engine release: read-only.",
        docs_url=None,
        redoc_url=None,
    )
    assets = mount_static(app)
    site = Site(store=store, render=Renderer(assets, clock), poll_s=poll_s)
    for router in (pages.router(site), fragments.router(site), api.router(site), files.router(site)):
        app.include_router(router)
    if measures is not None:
        app.include_router(measured.router(measures))
    errors.install(app, site)
    app.add_middleware(Caching, version=version)
    app.add_middleware(HeadAsGet)
    if hosts is not None:
        app.add_middleware(AllowedHosts, names=hosts)
    app.add_middleware(SecurityHeaders)
    return app
