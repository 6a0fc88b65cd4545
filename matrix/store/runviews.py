"""All of one run, found by its id or by the beginning of it."""

import shlex
from typing import Any

from sqlalchemy import Connection, Row, select

from matrix.core.counters import accept_length, tokens_per_step
from matrix.core.errors import NotFoundError
from matrix.core.spec import Method
from matrix.store.baselines import newest_baselines, place_of
from matrix.store.contents import get_lock
from matrix.store.resultrows import result_row
from matrix.store.samplerow import counters_from_row
from matrix.store.speed import rate
from matrix.store.states import run_verdicts
from matrix.store.tables import runs, samples
from matrix.store.uptime import uptime_view
from matrix.store.views import RunView, SampleView

_MOST = 100
_LONGEST = 64
"""Characters of the column; databases refuse patterns that are much longer."""


def run_view(conn: Connection, run_id: str) -> RunView:
    """The run whose id is, or uniquely begins with, `run_id`; NotFoundError for none or several."""
    row = conn.execute(select(runs).where(runs.c.run_id == full_run_id(conn, run_id))).one()
    place = place_of(row)
    baseline = newest_baselines(conn, [place]).get(place) if row.method != Method.NONE.value else None
    return RunView(
        row=result_row(row, baseline),
        verdicts=run_verdicts(conn, row.series_key, row.run_id),
        samples=_samples(conn, row),
        phases=[(name, seconds) for name, seconds in row.phases],
        resolved=row.resolved,
        lock=get_lock(conn, row.lock_ref),
        command=row.command,
        reproduce=shlex.join(row.command),
        next_step=row.next_step,
        signature=row.signature,
        excerpt=row.excerpt,
        log_ref=row.log_ref,
        log_bytes=row.log_bytes,
        content_key=row.content_key,
        recipe_text=row.recipe_text,
        models=_models(row),
        started_at=row.started_at,
        tool_version=row.tool_version,
        probe_version=row.probe_version,
        baseline_run=baseline.run_id if baseline else None,
        uptime=uptime_view(row.uptime, draftless=Method(row.method).counts_draftless_steps),
    )


def full_run_id(conn: Connection, prefix: str) -> str:
    """The one run id that is or begins with `prefix`; NotFoundError for none or several."""
    if len(prefix) > _LONGEST:
        raise NotFoundError(f"no run id has {len(prefix)} characters", hint="`matrix results` lists them")
    if conn.execute(select(runs.c.run_id).where(runs.c.run_id == prefix)).first() is not None:
        return prefix
    found = _beginning(conn, prefix) if prefix else []
    if not found:
        raise NotFoundError(f"there is no run {prefix!r}", hint="`matrix results` lists them")
    if len(found) > 1:
        shown = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
        count = f"{len(found)} runs begin" if len(found) < _MOST else "many runs begin"
        raise NotFoundError(f"{count} with {prefix!r}: {shown}", hint="give more of the id")
    return found[0]


def _beginning(conn: Connection, prefix: str) -> list[str]:
    """Some of the ids that begin so. The bounds let an index seek; LIKE ignores case on some databases, and seeks none.

    Where a database sorts text otherwise than by its characters, the bounds are left to the pattern.
    """
    same = runs.c.run_id.startswith(prefix, autoescape=True)
    if conn.dialect.name == "sqlite":
        same = (runs.c.run_id >= prefix) & (runs.c.run_id < prefix + "\U0010ffff")
    found = conn.scalars(select(runs.c.run_id).where(same).order_by(runs.c.run_id).limit(_MOST))
    return [run_id for run_id in found if run_id.startswith(prefix)]


def _models(row: Row[Any]) -> dict[str, str | None]:
    """Content hashes by model name; a draft that bears the target's name is marked."""
    if row.draft is None:
        return {row.target: row.target_content}
    draft = row.draft if row.draft != row.target else f"{row.draft} (draft)"
    return {row.target: row.target_content, draft: row.draft_content}


def _samples(conn: Connection, run: Row[Any]) -> list[SampleView]:
    columns = [column for column in samples.c if column.name not in ("alternatives", "cross_check")]
    rows = conn.execute(select(*columns).where(samples.c.run == run.id).order_by(samples.c.ordinal))
    draftless = Method(run.method).counts_draftless_steps
    return [_sample(row, draftless=draftless) for row in rows]


def _sample(row: Row[Any], *, draftless: bool) -> SampleView:
    counters = counters_from_row(row)
    return SampleView(
        prompt_id=row.prompt_id,
        kind=row.kind,
        repetition=row.repetition,
        concurrency=row.concurrency,
        accept_length=accept_length(counters, draftless=draftless),
        tokens_per_step=tokens_per_step(counters),
        steps=row.steps,
        proposed=row.proposed,
        accepted=row.accepted,
        completion_tokens=row.completion_tokens,
        seconds=row.seconds,
        tok_s=rate(row.completion_tokens, row.seconds),
        flags=list(row.flags),
        diverged_at=row.diverged_at,
        gap=row.gap,
        gap_at_least=bool(row.gap_at_least),
        text=row.text,
        text_hash=row.text_hash,
    )
