"""Two revisions, spec configs or drafts side by side: what changed, and by how many times its noise."""

from collections import Counter
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from matrix.app.compared import Compared
from matrix.core.errors import ConfigError, MatrixError, NotFoundError
from matrix.stats.words import count
from web.asked import Names
from web.compared import alone, change_rows
from web.errors import Problem
from web.site import Site

_MOST = 200
"""Unchanged rows that the page shows; its twin holds all."""


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/compare")
    def compare(a: Names = "", b: Names = "", where: Names = "") -> HTMLResponse:
        asked = {"a": a.strip(), "b": b.strip(), "where": where.strip()}
        found: Compared | None = None
        problem: MatrixError | None = None
        try:
            found = site.store.compare(*asked.values()) if asked["a"] and asked["b"] else None
        except (ConfigError, NotFoundError) as error:
            problem = error
        twin = f"/api/v1/compare?{urlencode({k: v for k, v in asked.items() if v})}" if found else None
        status = 200 if problem is None else 404 if isinstance(problem, NotFoundError) else 422
        told = {"found": found, "problem": Problem(problem.cause, problem.hint) if problem else None, "twin": twin}
        return site.render.page("compare.html", status, asked=asked, **told, **_shown(found))


def _shown(found: Compared | None) -> dict[str, object]:
    if found is None:
        return {}
    rows = change_rows(found, _MOST)
    return {
        "changed": rows.changed,
        "same": rows.same,
        "more": rows.more,
        "alone": alone(found),
        "summary": _summary(found),
        "swapped": "/compare?" + urlencode({"a": found.b, "b": found.a, "where": found.where}),
    }


def _summary(found: Compared) -> str:
    """`12 cells on both sides; 1 regression, 2 fixed`."""
    said = Counter(word for cell in found.cells for word in cell.words)
    words = ", ".join(f"{number} {word}" for word, number in said.most_common())
    return f"{count(found.pairs, 'cell')} on both sides; {words or 'no change of state'}"
