"""Engines, their revisions, and one revision: its cells, what it is known for, and what it changed."""

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.app.release import ReleaseView
from web.api_views import engine_of
from web.flips import shown_flips
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/engines")
    def engines() -> HTMLResponse:
        return site.render.page("engines.html", engines=site.store.engines(), one=None)

    @routes.get("/engines/{engine}")
    def engine(engine: str) -> HTMLResponse:
        found = engine_of(site, engine)
        return site.render.page("engines.html", engines=[found], one=found)

    @routes.get("/engines/{engine}/{revision}")
    def release(engine: str, revision: str) -> HTMLResponse:
        found = site.store.release(engine, revision)
        flips = {name: shown_flips(getattr(found, name)) for name in ("began", "ended", "other", "later")}
        return site.render.page("release.html", release=found, flips=flips, compare=_compare(found))


def _compare(found: ReleaseView) -> str | None:
    """The address that sets the revision against the one before it; None for the first."""
    if found.previous is None:
        return None
    return "/compare?" + urlencode({"a": found.previous, "b": found.revision, "where": f"engine={found.engine}"})
