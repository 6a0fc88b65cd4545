"""Errors in the same look as the pages, and as JSON under /api; each says what to do next."""

from dataclasses import asdict, dataclass

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from matrix.core.errors import ConfigError, MatrixError, NotFoundError
from web.access.refused import Refused
from web.headers import FIXED
from web.site import Site


@dataclass(frozen=True, slots=True)
class Problem:
    """`detail` is the cause, `hint` the next step."""

    detail: str
    hint: str


def _for_programs(path: str) -> bool:
    """True for an address whose readers want an error as JSON."""
    return path.startswith(("/api/", "/healthz", "/openapi.json")) or path.endswith((".atom", ".csv", ".md", ".svg"))


def install(app: FastAPI, site: Site) -> None:
    """Handlers for what the store raises, for addresses that do not exist, and for our own mistakes."""

    def answer(request: Request, status: int, problem: Problem) -> Response:
        if _for_programs(request.url.path):
            return JSONResponse(asdict(problem), status_code=status)
        return site.render.page("error.html", status, code=status, problem=problem)

    @app.exception_handler(MatrixError)
    async def expected(request: Request, error: MatrixError) -> Response:
        missing = isinstance(error, NotFoundError)
        hint = error.hint or ("Go back to the overview." if missing else "Run `matrix status` where this is served.")
        status = 404 if missing else 422 if isinstance(error, ConfigError) else 503
        return answer(request, status, Problem(detail=error.cause, hint=hint))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        if isinstance(error, Refused):
            problem = Problem(str(error.detail), error.hint)
        elif error.status_code == 404:
            problem = Problem("There is nothing at this address.", "Go back to the overview.")
        else:
            problem = Problem(str(error.detail), "/openapi.json says what each address takes.")
        response = answer(request, error.status_code, problem)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        cause = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
        status = 422 if _for_programs(request.url.path) else 404
        return answer(request, status, Problem(cause, "See /openapi.json for what this address takes."))

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        hint = (
            "The terminal where this is served shows the traceback. `matrix status` tells whether the database answers."
        )
        response = answer(request, 500, Problem("The dashboard failed while making this page.", hint))
        response.headers.update(FIXED)
        return response
