"""A browser enters its token once, and leaves."""

from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from web.access.gate import LOGIN
from web.access.refused import Refused
from web.asked import Name
from web.errors import Problem
from web.site import Site

_WRONG = Problem("No token of that text stands", "copy it whole; where the database is, `matrix token list` names all.")


def add(routes: APIRouter, site: Site) -> None:
    @routes.get(LOGIN, include_in_schema=False)
    def show(request: Request, next: Name = "/") -> HTMLResponse:  # noqa: A002 - as it stands in the address
        return _page(site, request, own_path(next))

    @routes.post(LOGIN, include_in_schema=False)
    def enter(request: Request) -> Response:
        fields = request.state.fields
        after = own_path(fields.get("next", "/"))
        try:
            name = site.gate.name_of(fields.get("token", "").strip(), request)
        except Refused as refusal:
            told = _WRONG if refusal.status_code == 401 else Problem(refusal.detail, refusal.hint)
            answer = _page(site, request, after, told, refusal.status_code)
            answer.headers.update(refusal.headers or {})
            return answer
        entered = RedirectResponse(after, status_code=303)
        site.gate.enter(request, entered, name)
        return entered

    @routes.post("/logout", include_in_schema=False)
    def leave(request: Request) -> Response:
        left = RedirectResponse(LOGIN, status_code=303)
        site.gate.leave(request, left)
        return left


def own_path(text: str) -> str:
    """The path and query of an address of this dashboard; the first page for any other address."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    own = text.startswith("/") and not text.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return text if own and text.isprintable() and "\\" not in text else "/"


def _page(site: Site, request: Request, after: str, problem: Problem | None = None, status: int = 200) -> HTMLResponse:
    session = site.gate.session(request)
    return site.render.personal("login.html", status, session=session, after=after, problem=problem)
