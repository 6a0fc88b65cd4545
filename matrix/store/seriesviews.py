"""One series from revision to revision."""

from typing import Any

from sqlalchemy import Connection, Row

from matrix.core.counters import combine
from matrix.core.errors import NotFoundError
from matrix.core.spec import Method
from matrix.store.flipviews import flip_views
from matrix.store.info import infos
from matrix.store.interval import accept_interval, jackknife, leave_one_out
from matrix.store.pointrows import by_prompt, newest_runs, sample_rows
from matrix.store.results import result_rows
from matrix.store.samplerow import counters_from_row
from matrix.store.speed import pooled, rate
from matrix.store.states import verdicts_by_run
from matrix.store.views import ResultRow, SeriesPoint, SeriesView, VerdictView

Interval = tuple[float | None, float | None]


def series_view(conn: Connection, series_key: str) -> SeriesView:
    """The newest run of each revision with its intervals and verdicts; NotFoundError for an unknown series."""
    about = infos(conn, [series_key]).get(series_key)
    if about is None:
        raise NotFoundError(f"there is no series {series_key}", hint="see `matrix status` or the overview page")
    rows = newest_runs(conn, series_key, lambda row: row.revision)
    found = sample_rows(conn, [row.id for row in rows])
    said = verdicts_by_run(conn, series_key)
    points = [
        _point(result, found[row.id], said.get(row.run_id, []))
        for row, result in zip(rows, result_rows(conn, rows), strict=True)
    ]
    return SeriesView(
        series_key=series_key,
        title=about.title,
        engine=about.engine,
        target=about.target,
        draft=about.draft,
        method=about.method,
        spec=about.spec,
        k=about.k,
        launch=about.launch,
        workload=about.workload,
        hardware=about.hardware,
        executor=about.executor,
        points=points,
        flips=flip_views(conn, series_key=series_key),
    )


def _point(result: ResultRow, samples: list[Row[Any]], said: list[VerdictView]) -> SeriesPoint:
    low, high = _accept_interval(result, samples)
    slow, fast = _speed_interval(result, samples)
    return SeriesPoint(
        revision=result.revision,
        run_id=result.run_id,
        outcome=result.outcome,
        accept_length=result.accept_length,
        low=low,
        high=high,
        output_tok_s=result.output_tok_s,
        tok_s_low=slow,
        tok_s_high=fast,
        baseline_tok_s=result.baseline_tok_s,
        speedup=result.speedup,
        finished_at=result.finished_at,
        verdicts=said,
    )


def _accept_interval(result: ResultRow, samples: list[Row[Any]]) -> Interval:
    prompts = [combine(counters_from_row(row) for row in rows) for rows in by_prompt(samples).values()]
    return accept_interval(prompts, draftless=Method(result.method).counts_draftless_steps)


def _speed_interval(result: ResultRow, samples: list[Row[Any]]) -> Interval:
    single = by_prompt(row for row in samples if row.concurrency == 1)
    parts = [pooled((row.completion_tokens, row.seconds) for row in rows) for rows in single.values()]
    return jackknife(result.output_tok_s, leave_one_out(parts, lambda rest: rate(*pooled(rest))))
