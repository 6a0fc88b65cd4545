"""`/metrics` for Prometheus."""

from collections.abc import Callable

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from web.kept import Kept

KEPT_S = 10.0
"""However often it is asked, the database is read no more often than this."""


def router(text: Callable[[], bytes]) -> APIRouter:
    """`text` makes the page anew."""
    routes, kept = APIRouter(), Kept(text, KEPT_S)

    @routes.get("/metrics", tags=["service"], response_class=Response)
    def metrics() -> Response:
        """Queue, GPUs, outcomes, durations, nights, disk: in Prometheus's text format, at most ten seconds old."""
        return Response(kept.get(), media_type=CONTENT_TYPE_LATEST, headers={"cache-control": "no-store"})

    return routes
