"""Every standing regression by its cause, on request those that were fixed since, and one of them alone."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from matrix.core.ack import Scope
from web.asked import Number
from web.errors import Problem
from web.explained import shown_groups, shown_regressions
from web.files.reports import report_of
from web.filters import View, choices, told, view_from
from web.site import Site

_SCOPES = {
    Scope.CELL: "this cell alone",
    Scope.GROUP: "all cells that fell for the same cause",
    Scope.SERIES: "whatever stands in this series",
}
_MOST = 50
"""Regressions on one page of the list."""
_NOTHING_TYPED = {"reason": "", "scope": Scope.CELL.value, "until": "30d"}


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/regressions")
    def regressions(
        view: Annotated[View, Depends(view_from)],
        standing: bool = True,
        page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    ) -> HTMLResponse:
        first = (page - 1) * _MOST
        found = site.store.listed(standing, view.seen, first, _MOST)
        return site.render.page(
            "regressions.html",
            groups=shown_groups(found.items, site.store),
            standing=standing,
            view=view,
            choices=told(choices(site.store.choices(), view.narrow)),
            found=found,
            first=first,
            before=_address(view, standing, min(page - 1, max(1, -(-found.total // _MOST)))) if page > 1 else None,
            after=_address(view, standing, page + 1) if first + _MOST < found.total else None,
            turned=_address(view, not standing, 1),
            twin="/api" + _address(view, standing, 1),
        )

    @routes.get("/regressions/{flip_id:int}")
    def one(request: Request, flip_id: Number) -> HTMLResponse:
        return regression_page(site, request, flip_id)


def _address(view: View, standing: bool, page: int) -> str:
    """The list with the same filters; what is usual is left out."""
    usual = {"standing": (standing, True), "page": (page, 1)}
    rest = urlencode({name: str(value).lower() for name, (value, left_out) in usual.items() if value != left_out})
    query = "&".join(part for part in (view.query, rest) if part)
    return f"/regressions?{query}" if query else "/regressions"


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
