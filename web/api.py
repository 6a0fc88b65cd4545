"""JSON twins of the pages. The shapes are the store's read models, so `/openapi.json` describes them exactly."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

import matrix
from matrix.app.bisect.views import BisectionItem, BisectionView
from matrix.app.regression import ExpectationView, Regression
from matrix.store.views import FlipView, Overview, ResultRow, RunView, SeriesView, SweepView
from web.api_compare import add_compare
from web.api_compat import add_compat
from web.api_views import add_views
from web.asked import Number
from web.errors import Problem
from web.filters import View, view_from
from web.pages.runs import log_of
from web.site import Site

_REFUSED: dict[int | str, dict[str, Any]] = {
    422: {"model": Problem, "description": "A parameter is not what it must be"}
}
_NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "Not in the database"}}


@dataclass(frozen=True, slots=True)
class LogView:
    """A run's log as it was stored: capped in size, secrets removed."""

    run_id: str
    log_ref: str
    text: str


@dataclass(frozen=True, slots=True)
class Health:
    status: str
    version: str


def router(site: Site) -> APIRouter:
    routes = APIRouter(responses=_REFUSED)
    _add_matrix(routes, site)
    _add_parts(routes, site)
    add_compat(routes, site)
    add_compare(routes, site)
    add_views(routes, site)
    _add_bisections(routes, site)

    @routes.get("/healthz", tags=["service"])
    def healthz() -> Health:
        """Answers while the service runs."""
        return Health(status="ok", version=matrix.__version__)

    return routes


def _add_matrix(routes: APIRouter, site: Site) -> None:
    @routes.get("/api/overview", tags=["matrix"])
    def overview(view: Annotated[View, Depends(view_from)]) -> Overview:
        """Regressions, heatmaps, and the sweep under way or last done; filters narrow it to what fits."""
        seen = site.store.overview(view.narrow)
        regressions, fixed = ([f for f in flips if view.fits(f)] for flips in (seen.regressions, seen.fixed))
        return replace(seen, regressions=regressions, fixed=fixed)

    @routes.get("/api/v1/changes", tags=["matrix"])
    def changes(view: Annotated[View, Depends(view_from)]) -> list[FlipView]:
        """Every change of state seen at the moment `since` or later (all, without it), the newest first."""
        return [flip for flip in site.store.changes(view.since or 0.0) if view.fits(flip)]

    @routes.get("/api/regressions", tags=["matrix"])
    def regressions(
        view: Annotated[View, Depends(view_from)], standing: bool = True, series: str | None = None
    ) -> list[Regression]:
        """Flips for the worse, each explained; `standing=false` also lists those that were fixed since.

        `series` keeps to the series of that key, filters to what fits, `since` to what was first seen then or later.
        """
        return [item for item in site.store.regressions(standing, series) if view.seen(item)]

    @routes.get("/api/results", tags=["matrix"])
    def results(
        limit: Annotated[int, Query(ge=1, le=100_000)] = 1000,
        offset: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    ) -> list[ResultRow]:
        """Every run, in pages of `limit`; the same objects as `matrix results --json`."""
        return list(islice(site.store.results(), offset, offset + limit))


def _add_parts(routes: APIRouter, site: Site) -> None:
    @routes.get("/api/series/{key}", tags=["parts"], responses=_NOT_FOUND)
    def series(key: str) -> SeriesView:
        """One series over its revisions."""
        return site.store.series(key)

    @routes.get("/api/runs/{run_id}", tags=["parts"], responses=_NOT_FOUND)
    def run(run_id: str) -> RunView:
        """All of one run."""
        return site.store.run(run_id)

    @routes.get("/api/runs/{run_id}/expectations", tags=["parts"], responses=_NOT_FOUND)
    def expectations(run_id: str) -> list[ExpectationView]:
        """What was published of the run's draft, set against what the run measured."""
        return site.store.expectations(site.store.run(run_id).row.run_id)

    @routes.get("/api/runs/{run_id}/log", tags=["parts"], responses=_NOT_FOUND)
    def log(run_id: str) -> LogView:
        """The run's log."""
        seen = site.store.run(run_id)
        return LogView(run_id=run_id, log_ref=seen.log_ref or "", text=log_of(site, seen))

    @routes.get("/api/sweeps/{sweep_id}", tags=["parts"], responses=_NOT_FOUND)
    def sweep(sweep_id: Number) -> SweepView:
        """One sweep and its cells."""
        return site.store.sweep(sweep_id)


def _add_bisections(routes: APIRouter, site: Site) -> None:
    @routes.get("/api/v1/bisections", tags=["bisections"])
    def bisections() -> list[BisectionItem]:
        """All bisections, the newest first."""
        return site.store.bisections()

    @routes.get("/api/v1/bisections/{number}", tags=["bisections"], responses=_NOT_FOUND)
    def bisection(number: Number) -> BisectionView:
        """One bisection: its answers, its suspects so far, and its report at the end."""
        return site.store.bisection(number)
