"""Bisections: all of them, and one with its answers, suspects and report, live while it runs."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse, PlainTextResponse

from matrix.app.bisect.standing import left
from matrix.app.bisect.views import INTERRUPTED, RUNNING, BisectionView
from web.asked import Number
from web.charts import answers_chart
from web.site import Site

_UNITS = {"slower": "output tokens per second"}


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/bisections")
    def bisections() -> HTMLResponse:
        return site.render.page("bisections.html", items=site.store.bisections())

    @routes.get("/bisections/{number}")
    def one(number: Number) -> HTMLResponse:
        return site.render.page("bisection.html", **bisection_values(site, site.store.bisection(number)))

    @routes.get("/bisections/{number}/log")
    def log(number: Number) -> PlainTextResponse:
        name = f"bisection-{number}.log"
        return PlainTextResponse(
            site.store.bisection_log(number), headers={"Content-Disposition": f'attachment; filename="{name}"'}
        )


def bisection_values(site: Site, view: BisectionView) -> dict[str, Any]:
    """What the page and its live fragment show."""
    item = view.item
    end = item.finished_at if item.finished_at is not None else site.render.clock()
    return {
        "view": view,
        "item": item,
        "running": item.status == RUNNING,
        "interrupted": item.status == INTERRUPTED,
        "elapsed_s": max(end - item.created_at, 0.0),
        "left": left(view.runs_left),
        "subjects": any(point.subject for point in view.points),
        "revisions": any(point.version != point.name for point in view.points),
        "values": answers_chart(view.answers, _UNITS.get(item.question, "accept length")),
        "poll_s": site.poll_s,
    }
