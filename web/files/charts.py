"""Each plot at an address of its own, for issues, notes and README files."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from matrix.core.errors import NotFoundError
from web.asked import Name
from web.charts import accept_chart, positions_chart, speed_chart
from web.draft_charts import settings_chart, speedup_chart
from web.errors import Problem
from web.site import Site
from web.standalone import standalone

_SVG = "image/svg+xml"
_FOUND: dict[str, Any] = {
    "response_class": Response,
    "responses": {200: {"content": {_SVG: {}}}, 404: {"model": Problem, "description": "Nothing to draw"}},
}


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/series/{key}/accept.svg", summary="Plot of accept length", **_FOUND)
    def accept(key: str) -> Response:
        """Accept length over all revisions of a series, with its 95 % interval and its states."""
        return _file(accept_chart(site.store.series(key), one=True), f"/series/{key}")

    @routes.get("/series/{key}/speed.svg", summary="Plot of speed", **_FOUND)
    def speed(key: str) -> Response:
        """Output tokens per second over all revisions of a series, beside its baseline."""
        return _file(speed_chart(site.store.series(key), one=True), f"/series/{key}")

    @routes.get("/runs/{run_id}/positions.svg", summary="Plot of acceptance by position", **_FOUND)
    def positions(run_id: str) -> Response:
        """Share of verify steps that accepted each draft position of a run."""
        return _file(positions_chart(site.store.run(run_id).row), f"/runs/{run_id}")

    @routes.get("/plots/settings.svg", summary="Plot of settings", **_FOUND)
    def settings(draft: Name, engine: Name = "", target: Name = "") -> Response:
        """Accept length of a draft by steps, top-k and draft tokens, each series at its newest revision."""
        return _file(settings_chart(site.store.draft(draft), site.store, engine, target), "/drafts")

    @routes.get("/plots/speedup.svg", summary="Plot of speed-up", **_FOUND)
    def speedup(draft: Name) -> Response:
        """Speed-up of a draft against its accept length, each series at its newest revision."""
        return _file(speedup_chart(site.store.draft(draft)), "/drafts")


def _file(svg: str | None, page: str) -> Response:
    if svg is None:
        raise NotFoundError("nothing was measured that this plot could show", hint=f"see {page} for what there is")
    return Response(standalone(str(svg)), media_type=_SVG)
