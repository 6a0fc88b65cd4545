"""Every standing regression by its cause, on request those that were fixed since, and one of them alone."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from matrix.core.ack import Scope
from web.asked import Number
from web.errors import Problem
from web.explained import shown_groups, shown_regressions
from web.files.reports import report_of
from web.site import Site

_SCOPES = {
    Scope.CELL: "this cell alone",
    Scope.GROUP: "all cells that fell for the same cause",
    Scope.SERIES: "whatever stands in this series",
}
_NOTHING_TYPED = {"reason": "", "scope": Scope.CELL.value, "until": "30d"}


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/regressions")
    def regressions(standing: bool = True) -> HTMLResponse:
        groups = shown_groups(site.store.regressions(standing), site.store)
        return site.render.page("regressions.html", groups=groups, standing=standing)

    @routes.get("/regressions/{flip_id:int}")
    def one(request: Request, flip_id: Number) -> HTMLResponse:
        return regression_page(site, request, flip_id)


def regression_page(
    site: Site,
    request: Request,
    flip_id: int,
    *,
    problem: Problem | None = None,
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> HTMLResponse:
    """One regression with its report and, for who is logged in, its form; with a `problem`, as it was `typed`."""
    item = site.store.regression(flip_id)
    session = site.gate.session(request)
    values: dict[str, Any] = {
        "r": shown_regressions([item], site.store)[0],
        "item": item,
        "report": report_of(site, item),
        "session": session,
        "problem": problem,
        "typed": typed or _NOTHING_TYPED,
        "scopes": _SCOPES,
    }
    if session is None:
        return site.render.page("regression.html", status, **values)
    return site.render.personal("regression.html", status, **values)
