"""One run: what happened and why, its figures, its log, and how to do it again."""

import json
from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse, PlainTextResponse

from matrix.core.counters import Counters, accept_length, combine
from matrix.core.errors import NotFoundError
from matrix.core.spec import Method
from matrix.store.views import RunView, SampleView, SeriesView
from web.charts import positions_chart
from web.commands import bisect_run, is_bad, repeat_run
from web.explained import ShownRegression, shown_regressions
from web.site import Site

_TAIL_LINES = 80
_TAIL_CHARS = 20_000


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/runs/{run_id}")
    def run(run_id: str) -> HTMLResponse:
        seen = site.store.run(run_id)
        return site.render.page(
            "run.html",
            run=seen,
            row=seen.row,
            groups=_groups(seen),
            positions=positions_chart(seen.row),
            bisect=bisect_run(seen, _series(site, seen) if is_bad(seen) else None),
            resolved=[(key, _plain(value)) for key, value in seen.resolved.items()],
            repeat=repeat_run(seen.row),
            tail=_tail(site, seen),
            explained=_explained(site, seen),
            bisections=site.store.asked_by(seen.row.run_id),
            expectations=site.store.expectations(seen.row.run_id),
        )

    @routes.get("/runs/{run_id}/log")
    def log(run_id: str) -> PlainTextResponse:
        return PlainTextResponse(log_of(site, site.store.run(run_id)))


def log_of(site: Site, run: RunView) -> str:
    """The stored log; NotFoundError when the run has none."""
    if run.log_ref is None:
        raise NotFoundError(f"run {run.row.run_id} stored no log", hint="it ended before a server was started")
    return site.store.log_text(run.log_ref)


def _tail(site: Site, run: RunView) -> str | None:
    try:
        text = log_of(site, run)
    except (NotFoundError, OSError):
        return None
    return "\n".join(text[-_TAIL_CHARS:].splitlines()[-_TAIL_LINES:])


def _series(site: Site, run: RunView) -> SeriesView | None:
    try:
        return site.store.series(run.row.series_key)
    except NotFoundError:
        return None


def _explained(site: Site, run: RunView) -> list[ShownRegression]:
    """The falls that this run showed."""
    return shown_regressions(site.store.falls(run.row.series_key, run.row.run_id), site.store)


def _groups(run: RunView) -> list[dict[str, Any]]:
    kinds: dict[str, list[SampleView]] = {}
    for sample in run.samples:
        kinds.setdefault(sample.kind, []).append(sample)
    counted = _counts_every_step(run.row.method)
    return [{"kind": k, "samples": s, "counted": counted, "accept_length": _pooled(s)} for k, s in kinds.items()]


def _pooled(samples: Iterable[SampleView]) -> float | None:
    return accept_length(combine(Counters(steps=s.steps, accepted=s.accepted) for s in samples))


def _counts_every_step(method: str) -> bool:
    known = next((m for m in Method if m == method), None)
    return known is not None and known is not Method.NONE and not known.counts_draftless_steps


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
