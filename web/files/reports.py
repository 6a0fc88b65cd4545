"""A regression as a report to paste into an issue tracker."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from matrix.app.regression import Regression
from matrix.app.regression_markdown import regression_markdown
from matrix.core.errors import NotFoundError
from matrix.store.views import RunView
from web.asked import Number
from web.errors import Problem
from web.site import Site

_FOUND: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/markdown": {}}},
    404: {"model": Problem, "description": "No such regression"},
}


def add(routes: APIRouter, site: Site) -> None:
    @routes.get(
        "/regressions/{flip_id}.md",
        response_class=Response,
        responses=_FOUND,
        summary="Report of a regression",
    )
    def report(flip_id: Number) -> Response:
        """What fell, the figures on both sides, the cause, and how to see it again, as markdown."""
        return Response(report_of(site, site.store.regression(flip_id)), media_type="text/markdown")


def report_of(site: Site, item: Regression) -> str:
    """The report of one regression, as markdown."""
    return regression_markdown(item, _run(site, item.from_run), _run(site, item.to_run))


def _run(site: Site, run_id: str | None) -> RunView | None:
    try:
        return site.store.run(run_id) if run_id else None
    except NotFoundError:
        return None
