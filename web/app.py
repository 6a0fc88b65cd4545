"""The application: routes, headers and error pages around one reader."""

import time
from collections.abc import Callable

from fastapi import Depends, FastAPI

import matrix
from web import api, errors, files, fragments, pages, writing
from web import measures as measured
from web.access import Gate
from web.bodies import BodyLimit
from web.caching import Caching, Version
from web.headers import SecurityHeaders
from web.hosts import AllowedHosts
from web.methods import HeadAsGet
from web.reader import Reader
from web.render import Renderer
from web.site import Site
from web.static_files import mount_static
from web.writer import Writer


def create_app(
    store: Reader,
    *,
    poll_s: float = 2.0,
    clock: Callable[[], float] = time.time,
    hosts: frozenset[str] | None = None,
    version: Version = lambda: None,
    measures: Callable[[], bytes] | None = None,
    writer: Writer | None = None,
) -> FastAPI:
    """The dashboard over `store`, whose read methods are called from several threads at once.

    `poll_s`: seconds between two updates of a running sweep. `clock`: Unix seconds now, for elapsed and relative times.
    `hosts`: names to answer to, None for all. `version`: tells two states of the store apart, so that answers can be
    kept; None of it keeps none. `measures`: the text of `/metrics`, without which there is no such page. `writer`: what
    may be changed, without which all that is no plain read is refused.
    """
    # FastAPI's own documentation pages load scripts from elsewhere, so only the description itself is served.
    gate = Gate(writer)
    app = FastAPI(
        title="specmatrix",
        version=matrix.__version__,
        summary="Accept length of speculative decoding by engine release.",
        dependencies=[Depends(gate.guard)],
        docs_url=None,
        redoc_url=None,
    )
    assets = mount_static(app)
    site = Site(store=store, render=Renderer(assets, clock, gate.open), poll_s=poll_s, gate=gate)
    for part in (writing, pages, fragments, api, files):
        app.include_router(part.router(site))
    if measures is not None:
        app.include_router(measured.router(measures))
    errors.install(app, site)
    app.add_middleware(BodyLimit)
    app.add_middleware(Caching, version=version)
    app.add_middleware(HeadAsGet)
    if hosts is not None:
        app.add_middleware(AllowedHosts, names=hosts)
    app.add_middleware(SecurityHeaders)
    return app
