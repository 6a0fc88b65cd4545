"""What the form of a regression does."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from matrix.core.errors import ConfigError
from web.asked import Number
from web.errors import Problem
from web.pages.regressions import regression_page
from web.site import Site
from web.writing.needed import writer

_FIELDS = ("reason", "scope", "until")


def add(routes: APIRouter, site: Site) -> None:
    @routes.post("/regressions/{flip_id:int}/acknowledge", include_in_schema=False)
    def acknowledge(request: Request, flip_id: Number) -> Response:
        typed = {name: request.state.fields.get(name, "").strip() for name in _FIELDS}
        try:
            writer(site).acknowledge(flip_id, **typed)
        except ConfigError as error:
            told = Problem(error.cause, error.hint or "Correct it and send the form again.")
            return regression_page(site, request, flip_id, problem=told, typed=typed, status=422)
        return RedirectResponse(f"/regressions/{flip_id}#acknowledge-h", status_code=303)

    @routes.post("/regressions/{flip_id:int}/unacknowledge", include_in_schema=False)
    def unacknowledge(request: Request, flip_id: Number) -> Response:
        """End each acknowledgement that covers it, whatever its scope; none is fine, it may have ended meanwhile."""
        ended: set[int] = set()
        while (known := site.store.regression(flip_id).ack) is not None and known.ack_id not in ended:
            ended.add(known.ack_id)
            writer(site).end_acknowledgement(known.ack_id)
        return RedirectResponse(f"/regressions/{flip_id}#acknowledge-h", status_code=303)
