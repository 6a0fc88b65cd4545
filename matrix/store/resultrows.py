"""One run as `matrix results --json` prints it."""

from dataclasses import fields
from typing import Any

from sqlalchemy import Row

from matrix.core.counters import Counters, accept_length, acceptance_rate, position_rates
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store.baselines import BaselineRun
from matrix.store.samplerow import counters_from_row
from matrix.store.speed import rate, ratio
from matrix.store.tables import runs
from matrix.store.views import ResultRow

# Long texts that no list needs.
_LONG = ("cell", "excerpt", "recipe_text", "command", "resolved", "noise", "uptime", "artifact_notes")
COLUMNS = tuple(column for column in runs.c if column.name not in _LONG)

# Outcomes of runs whose every prompt was asked. What a run cut short had measured stays with its samples.
COMPLETE = (Outcome.OK.value, Outcome.WRONG_OUTPUT.value)

# Fields that are columns of the same name; `steps` is not: the column counts verify steps.
_SAME = ({f.name for f in fields(ResultRow)} & set(runs.c.keys())) - {"steps", "per_position"}


def result_row(row: Row[Any], baseline: BaselineRun | None) -> ResultRow:
    """The row of `runs` with what follows from it; `baseline` is ignored for a run that is one itself."""
    counters = counters_from_row(row) if row.outcome in COMPLETE else Counters(requests=0)
    rates = position_rates(counters)
    speed = run_speed(row)
    base = baseline.tok_s if baseline and row.method != Method.NONE.value else None
    return ResultRow(
        **{name: getattr(row, name) for name in _SAME},
        steps=row.k,
        tier=Outcome(row.outcome).tier.value,
        accept_length=run_accept_length(row),
        per_position=None if rates is None else list(rates),
        acceptance_rate=acceptance_rate(counters),
        verify_steps=row.steps,
        output_tok_s=speed,
        baseline_tok_s=base,
        speedup=ratio(speed, base),
        artifact=row.artifact_digest,
        **_durations(row.phases),
    )


def run_accept_length(row: Row[Any]) -> float | None:
    """Pooled accept length of a run; None where no counter allows it, and for a run that did not come to its end."""
    if row.outcome not in COMPLETE:
        return None
    return accept_length(counters_from_row(row), draftless=Method(row.method).counts_draftless_steps)


def run_speed(row: Row[Any]) -> float | None:
    """Tokens a second over the samples at concurrency 1; None without such samples, and for a run cut short."""
    if row.outcome not in COMPLETE:
        return None
    return rate(row.single_tokens, row.single_seconds)


def _durations(phases: list[tuple[str, float]]) -> dict[str, Any]:
    """Start is from the command to the first finished generation: the phases `start` and `ready`."""
    seconds = dict(phases)
    start = seconds.get("start")
    return {
        "build_s": seconds.get("build"),
        "start_s": None if start is None else start + seconds.get("ready", 0.0),
        "probe_s": seconds.get("probe"),
    }
