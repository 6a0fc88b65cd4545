"""The same for programs: `Authorization: Bearer TOKEN`, and no form token."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.responses import Response

from matrix.core.ack import Ack, Scope
from web.asked import Number
from web.errors import Problem
from web.site import Site
from web.writing.needed import writer

_REFUSALS = {
    400: "The body is no JSON",
    401: "No standing token",
    403: "Nothing can be changed here",
    404: "Not in the database, or it does not stand any more",
    413: "The body is too large",
    422: "A field is not what it must be",
    429: "Too many wrong tokens; see Retry-After",
}
_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": meaning} for status, meaning in _REFUSALS.items()
}


class Acknowledging(BaseModel):
    """`until` is a date, which lasts to its end in UTC, or a span (30d, 12h, 2w); empty for good."""

    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    scope: Scope = Scope.CELL
    until: Annotated[str, Field(max_length=40)] = ""


def add(routes: APIRouter, site: Site) -> None:
    shown = {"tags": ["writing"], "responses": _REFUSED, "include_in_schema": site.gate.open}

    @routes.post("/api/v1/regressions/{flip_id}/acknowledgements", status_code=201, **shown)  # type: ignore[arg-type]
    def acknowledge(flip_id: Number, asked: Acknowledging) -> list[Ack]:
        """Acknowledge a standing regression: it stays listed and fails no check until then, or until it gets worse."""
        return writer(site).acknowledge(flip_id, asked.reason, asked.scope.value, asked.until)

    @routes.delete("/api/v1/acknowledgements/{ack_id}", status_code=204, **shown)  # type: ignore[arg-type]
    def end(ack_id: Number) -> Response:
        """End an acknowledgement: what it covered counts again, unless another one covers it too."""
        writer(site).end_acknowledgement(ack_id)
        return Response(status_code=204)
