"""Builds the judge's points of one series from its runs and their samples."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from matrix.core.counters import combine
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store.baselines import BaselineRun, batches, newest_baselines, place_of
from matrix.store.order import recency_key, revision_key
from matrix.store.points import PromptPoint, StoredPoint
from matrix.store.samplerow import counters_from_row
from matrix.store.speed import pooled, rate
from matrix.store.tables import runs, samples

SampleRows = dict[int, list[Row[Any]]]
Speeds = dict[int, dict[str, float | None]]
_LEFT_OUT = ("cell", "command", "excerpt", "recipe_text")


def newest_runs(conn: Connection, series_key: str, place: Callable[[Any], Any]) -> list[Row[Any]]:
    """Of a series' runs the newest at each `place`, in the order of revisions; the long columns are left out."""
    return _newest(conn, [runs.c.series_key == series_key], place)


def _newest(conn: Connection, which: Sequence[ColumnElement[bool]], place: Callable[[Any], Any]) -> list[Row[Any]]:
    columns = [column for column in runs.c if column.name not in _LEFT_OUT]
    newest: dict[Any, Row[Any]] = {}
    for row in sorted(conn.execute(select(*columns).where(*which)).all(), key=recency_key):
        newest[place(row)] = row
    return sorted(newest.values(), key=lambda row: (revision_key(row.revision), row.boot))


def sample_rows(conn: Connection, numbers: Iterable[int]) -> SampleRows:
    """Samples of these runs by run number, in their order; texts and alternatives are left out."""
    columns = [
        column for column in samples.c if column.name not in ("text", "text_hash", "alternatives", "cross_check")
    ]
    return _rows(conn, columns, numbers)


def speed_rows(conn: Connection, numbers: Iterable[int]) -> SampleRows:
    """The same with no more than speed is made of."""
    names = ("run", "prompt_id", "concurrency", "completion_tokens", "seconds")
    return _rows(conn, [samples.c[name] for name in names], numbers)


def _rows(conn: Connection, columns: Sequence[ColumnElement[Any]], numbers: Iterable[int]) -> SampleRows:
    found: SampleRows = defaultdict(list)
    for batch in batches(sorted(set(numbers))):
        query = select(*columns).where(samples.c.run.in_(batch)).order_by(samples.c.run, samples.c.ordinal)
        for row in conn.execute(query).all():
            found[row.run].append(row)
    return found


def by_prompt(rows: Iterable[Row[Any]]) -> dict[str, list[Row[Any]]]:
    """Rows of one run grouped by prompt, prompts in their order."""
    groups: dict[str, list[Row[Any]]] = {}
    for row in rows:
        groups.setdefault(row.prompt_id, []).append(row)
    return groups


def prompt_speed(rows: Iterable[Row[Any]]) -> float | None:
    """Tokens a second of one prompt over its repetitions at concurrency 1."""
    single = [(row.completion_tokens, row.seconds) for row in rows if row.concurrency == 1]
    return rate(*pooled(single)) if single else None


def series_points(conn: Connection, series_key: str) -> list[StoredPoint]:
    """The newest run of each (revision, boot) of a series, in the order of revisions."""
    return _points(conn, newest_runs(conn, series_key, lambda row: (row.revision, row.boot)))


def points_at(conn: Connection, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[StoredPoint]]:
    """By (series key, revision) the newest run of each boot; places without a run are left out."""
    found: dict[tuple[str, str], list[StoredPoint]] = {}
    for batch in batches(sorted(set(places))):
        keys, revisions = sorted({key for key, _ in batch}), sorted({revision for _, revision in batch})
        which = [runs.c.series_key.in_(keys), runs.c.revision.in_(revisions)]
        rows = _newest(conn, which, lambda row: (row.series_key, row.revision, row.boot))
        wanted = set(batch)
        rows = [row for row in rows if (row.series_key, row.revision) in wanted]
        for row, point in zip(rows, _points(conn, rows), strict=True):
            found.setdefault((row.series_key, row.revision), []).append(point)
    return found


def _points(conn: Connection, rows: Sequence[Row[Any]]) -> list[StoredPoint]:
    beside = newest_baselines(conn, {place_of(row) for row in rows})
    found = sample_rows(conn, [row.id for row in rows])
    base = _speeds(speed_rows(conn, [baseline.number for baseline in beside.values()]))
    return [_point(row, found, base, beside.get(place_of(row))) for row in rows]


def _speeds(found: SampleRows) -> Speeds:
    """By run number and prompt, tokens a second."""
    return {
        run: {prompt: prompt_speed(group) for prompt, group in by_prompt(rows).items()} for run, rows in found.items()
    }


def newest_point(conn: Connection, which: ColumnElement[bool]) -> StoredPoint | None:
    """The newest run that fits, beside its baseline."""
    columns = [column for column in runs.c if column.name not in _LEFT_OUT]
    rows = sorted(conn.execute(select(*columns).where(which)), key=recency_key)
    if not rows:
        return None
    row = rows[-1]
    baseline = newest_baselines(conn, [place_of(row)]).get(place_of(row))
    base = _speeds(speed_rows(conn, [baseline.number] if baseline else []))
    return _point(row, sample_rows(conn, [row.id]), base, baseline)


def _point(row: Row[Any], found: SampleRows, speeds: Speeds, baseline: BaselineRun | None) -> StoredPoint:
    method = Method(row.method)
    if method is Method.NONE:
        baseline = None
    base = speeds.get(baseline.number, {}) if baseline else {}
    prompts = by_prompt(found[row.id])
    return StoredPoint(
        run_id=row.run_id,
        revision=row.revision,
        boot=row.boot,
        outcome=Outcome(row.outcome),
        reason=row.reason,
        signature=row.signature,
        method=method,
        draftless=method.counts_draftless_steps,
        k=row.k,
        prompts=tuple(_prompt(name, group, base.get(name)) for name, group in prompts.items()),
        artifact_digest=row.artifact_digest,
        lock_ref=row.lock_ref,
        resolved=row.resolved,
        noise=row.noise,
        baseline_run=baseline.run_id if baseline else None,
        baseline_noise=baseline.noise if baseline else {},
        evidence=row.evidence,
        finished_at=row.finished_at,
    )


def _prompt(prompt_id: str, rows: list[Row[Any]], baseline_tok_s: float | None) -> PromptPoint:
    speeds = [rate(row.completion_tokens, row.seconds) for row in rows if row.concurrency == 1]
    return PromptPoint(
        prompt_id,
        rows[0].kind,
        combine(map(counters_from_row, rows)),
        tuple([speed for speed in speeds if speed is not None]),
        baseline_tok_s,
        tuple(dict.fromkeys([flag for row in rows for flag in row.flags])),
        tuple([(row.gap, row.gap_at_least) for row in rows if row.diverged_at is not None]),
    )
