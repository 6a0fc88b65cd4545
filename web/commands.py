"""Commands that a page offers to copy. Every part is quoted for the shell, whatever a name holds."""

from matrix.app.commands import REGRESS_BY_STATE, bisect, bisect_flip, repeat, state_of
from matrix.core.outcome import Outcome
from matrix.core.state import Metric
from matrix.store.views import ResultRow, RunView, SeriesView

__all__ = ["bisect_flip", "bisect_run", "is_bad", "last_good", "repeat_run"]

_REGRESS_BY_OUTCOME = {
    Outcome.LOAD_CRASH: "works",
    Outcome.SERVE_CRASH: "works",
    Outcome.OOM: "works",
    Outcome.HANG: "hang",
    Outcome.WRONG_OUTPUT: "wrong-output",
    Outcome.MEASURED_NOTHING: "accept",
}


def bisect_run(run: RunView, series: SeriesView | None) -> str | None:
    """`matrix bisect run ...` for a bad run, from the last good revision before it; None when the run is not bad."""
    row = run.row
    regress = _regress(run)
    if regress is None:
        return None
    return bisect(
        engine=row.engine,
        good=last_good(series, row),
        bad=row.revision,
        regress=regress,
        target=row.target,
        draft=row.draft,
        method=row.method,
        spec=row.spec,
        workload=row.workload,
    )


def repeat_run(row: ResultRow) -> str:
    """`matrix sweep --force ...` that selects exactly this run's cell."""
    return repeat(engine=row.engine, revision=row.revision, target=row.target, spec=row.spec, workload=row.workload)


def last_good(series: SeriesView | None, row: ResultRow) -> str | None:
    """The nearest earlier revision of the series with outcome ok and no bad verdict."""
    points = series.points if series else []
    here = next((i for i, p in enumerate(points) if p.revision == row.revision), 0)
    for point in reversed(points[:here]):
        if point.outcome == Outcome.OK and not any(state_of(v.state).bad for v in point.verdicts):
            return point.revision
    return None


def is_bad(run: RunView) -> bool:
    return _regress(run) is not None


def _regress(run: RunView) -> str | None:
    outcome = next((o for o in Outcome if o == run.row.outcome), None)
    if outcome in _REGRESS_BY_OUTCOME:
        return _REGRESS_BY_OUTCOME[outcome]
    if outcome is not Outcome.OK:
        return None
    ordered = sorted(run.verdicts, key=lambda v: v.metric != Metric.ACCEPT_LENGTH)
    return next((word for v in ordered if (word := REGRESS_BY_STATE.get(state_of(v.state)))), None)
