"""Twins of the pages of engines, drafts and the service itself."""

from fastapi import APIRouter

from matrix.app.draft import DraftView
from matrix.app.release import EngineView, ReleaseView
from matrix.app.service import StatusView
from matrix.core.errors import NotFoundError
from web.errors import Problem
from web.site import Site


def add_views(routes: APIRouter, site: Site) -> None:
    missing = {"model": Problem, "description": "Not in the database"}

    @routes.get("/api/v1/engines", tags=["engines"])
    def engines() -> list[EngineView]:
        """The engines that were run, each with its revisions, newest first."""
        return site.store.engines()

    @routes.get("/api/v1/engines/{engine}", tags=["engines"], responses={404: missing})
    def engine(engine: str) -> EngineView:
        """The revisions of one engine, newest first."""
        return engine_of(site, engine)

    @routes.get("/api/v1/engines/{engine}/{revision}", tags=["engines"], responses={404: missing})
    def release(engine: str, revision: str) -> ReleaseView:
        """One revision: its cells and states, artifacts, quirks, and the flips that it began or ended."""
        return site.store.release(engine, revision)

    @routes.get("/api/v1/drafts", tags=["drafts"])
    def drafts() -> list[str]:
        """The names of all drafts that were run, published about or reported."""
        return site.store.drafts()

    @routes.get("/api/v1/drafts/{name:path}", tags=["drafts"], responses={404: missing})
    def draft(name: str) -> DraftView:
        """One draft: its states, what was published and reported of it, and what was measured against that."""
        return site.store.draft(name)

    @routes.get("/api/v1/status", tags=["service"])
    def status() -> StatusView:
        """The measured false-flag rate, the last sweep, queue, leases, holds, room on disk and versions."""
        return site.store.status()


def engine_of(site: Site, name: str) -> EngineView:
    """One engine; NotFoundError for one that was never run."""
    found = next((view for view in site.store.engines() if view.engine == name), None)
    if found is None:
        raise NotFoundError(f"no run of an engine `{name}`", hint="/engines lists those that were run")
    return found
