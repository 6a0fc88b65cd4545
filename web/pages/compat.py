"""Which release works: a question and, once it is asked, its answer."""

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.app.answered import Answer
from matrix.core.errors import ConfigError, MatrixError, NotFoundError
from matrix.plan.span_words import span_words
from web.asked import Line, Name, question_from
from web.errors import Problem
from web.site import Site


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/compat")
    def compat(
        model: Name = "", draft: Name = "", engine: Name = "", method: Name = "", gpu: Name = "", line: Line = ""
    ) -> HTMLResponse:
        asked = {"model": model, "draft": draft, "engine": engine, "method": method, "gpu": gpu, "line": line}
        found: Answer | None = None
        problem: MatrixError | None = None
        try:
            question = question_from(**asked)
            found = site.store.compat(question) if question else None
        except (ConfigError, NotFoundError) as error:
            problem = error
        return site.render.page(
            "compat.html",
            _status(problem),
            asked=asked,
            found=found,
            problem=Problem(problem.cause, problem.hint) if problem else None,
            twin=f"/api/v1/compat?{urlencode({k: v for k, v in asked.items() if v})}" if found else None,
            place=span_words,
        )


def _status(problem: MatrixError | None) -> int:
    return 200 if problem is None else 404 if isinstance(problem, NotFoundError) else 422
