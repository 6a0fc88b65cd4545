"""Commands that a page offers to copy. Every part is quoted for the shell, whatever a name holds."""

import glob
import shlex

from matrix.core.outcome import Outcome
from matrix.core.state import Metric, State
from matrix.store.views import FlipView, ResultRow, RunView, SeriesView

_LAST_GOOD = "last-good"  # the bisection looks for it

_REGRESS_BY_OUTCOME = {
    Outcome.LOAD_CRASH: "works",
    Outcome.SERVE_CRASH: "works",
    Outcome.OOM: "works",
    Outcome.HANG: "hang",
    Outcome.WRONG_OUTPUT: "wrong-output",
    Outcome.MEASURED_NOTHING: "accept",
}
_REGRESS_BY_STATE = {
    State.BROKEN: "works",
    State.DEGRADED: "accept",
    State.COLLAPSED: "accept",
    State.SLOWER: "slower",
    State.WRONG_OUTPUT: "wrong-output",
}


def bisect_flip(flip: FlipView) -> str | None:
    """`matrix bisect run ...` between a flip's two revisions; None when the later one is not bad."""
    regress = _REGRESS_BY_STATE.get(_state(flip.after))
    if regress is None:
        return None
    return _bisect(
        engine=flip.engine,
        good=flip.from_revision or _LAST_GOOD,
        bad=flip.to_revision,
        regress=regress,
        target=flip.target,
        draft=flip.draft,
        method=flip.method,
    )


def bisect_run(run: RunView, series: SeriesView | None) -> str | None:
    """The same for a bad run, from the last good revision before it; None when the run is not bad."""
    row = run.row
    regress = _regress(run)
    if regress is None:
        return None
    return _bisect(
        engine=row.engine,
        good=last_good(series, row) or _LAST_GOOD,
        bad=row.revision,
        regress=regress,
        target=row.target,
        draft=row.draft,
        method=row.method,
    )


def repeat_run(row: ResultRow) -> str:
    """`matrix sweep --force ...` that selects exactly this run's cell by its names, which are wildcards there."""
    names = {
        "engine": row.engine,
        "version": row.revision,
        "target": row.target,
        "spec": row.spec,
        "workload": row.workload,
    }
    selectors = [f"{field}={glob.escape(name)}" for field, name in names.items()]
    return shlex.join(["matrix", "sweep", "--force", *selectors])


def last_good(series: SeriesView | None, row: ResultRow) -> str | None:
    """The nearest earlier revision of the series with outcome ok and no bad verdict."""
    points = series.points if series else []
    here = next((i for i, p in enumerate(points) if p.revision == row.revision), 0)
    for point in reversed(points[:here]):
        if point.outcome == Outcome.OK and not any(_state(v.state).bad for v in point.verdicts):
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
    return next((word for v in ordered if (word := _REGRESS_BY_STATE.get(_state(v.state)))), None)


def _state(word: str) -> State:
    return next((state for state in State if state == word), State.UNKNOWN)


def _bisect(*, engine: str, good: str, bad: str, regress: str, target: str, draft: str | None, method: str) -> str:
    options = {"engine": engine, "good": good, "bad": bad, "regress": regress, "target": target}
    options |= {"draft": draft} if draft else {}
    options |= {"method": method}
    return " ".join(["matrix bisect run", *(f"--{key} {shlex.quote(value)}" for key, value in options.items())])
