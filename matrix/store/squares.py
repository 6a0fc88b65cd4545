"""Keeps `series` and `squares` in step with runs and verdicts, inside the transaction that stores those."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from matrix.core.counters import combine
from matrix.core.spec import Method
from matrix.core.state import Metric, Verdict
from matrix.store.baselines import batches, newest_baselines, place_of
from matrix.store.interval import accept_interval, jackknife, leave_one_out
from matrix.store.order import recency_key
from matrix.store.pointrows import by_prompt, sample_rows
from matrix.store.resultrows import COLUMNS, run_accept_length, run_speed
from matrix.store.samplerow import counters_from_row
from matrix.store.speed import pooled, rate
from matrix.store.states import worst
from matrix.store.tables import runs, series, squares, verdicts
from matrix.store.texts import clip
from matrix.store.views import VerdictView

Values = dict[str, Any]
_ABOUT = tuple(c.name for c in series.c if c.name not in ("runs", "mark"))
_COPIED = ("series_key", "revision", "run_id", "boot", "outcome", "finished_at")
_JUDGED = ("state", "why", "noise")
_LONGEST = 400


def add_run(conn: Connection, number: int) -> None:
    """Take in the run in row `number` of `runs`, just stored: its series, its square, and the squares beside it."""
    row = conn.execute(select(*COLUMNS).where(runs.c.id == number)).one()
    _count(conn, row)
    if _is_newest(conn, row):
        _put(conn, squares_of(conn, [row])[0])
    if row.method == Method.NONE.value:
        _beside(conn, row)


def tell(conn: Connection, series_key: str, said: Mapping[str, Collection[Verdict]], *, partial: bool = False) -> None:
    """Take in verdicts of a series (run id -> verdicts): what they say of each square.

    They are all that there are of the series, or with `partial` those of some of its revisions.
    """
    columns = (squares.c.revision, squares.c.run_id, *(squares.c[name] for name in _JUDGED))
    held = conn.execute(select(*columns).where(squares.c.series_key == series_key)).all()
    views = {run_id: [_view(verdict) for verdict in of_run] for run_id, of_run in said.items()}
    places = _revisions(conn, views.keys() - {row.run_id for row in held})
    beside = {revision: views[run_id] for run_id, revision in places.items()}
    changed = []
    for row in held:
        found = views.get(row.run_id) or beside.get(row.revision)
        told = judged(found or [])
        if (found or not partial) and told != _held(row):
            changed.append((row.revision, told))
    for revision, told in changed:
        _update(conn, series_key, revision, told)
    if changed:
        _mark(conn, [series_key])


def rebuild(conn: Connection) -> None:
    """Make both tables anew from all runs and verdicts, series by series."""
    conn.execute(delete(squares))
    conn.execute(delete(series))
    for key in conn.scalars(select(runs.c.series_key).distinct().order_by(runs.c.series_key)).all():
        rows = conn.execute(select(*COLUMNS).where(runs.c.series_key == key)).all()
        newest = {row.revision: row for row in sorted(rows, key=recency_key)}
        last = max(rows, key=lambda row: row.id)
        conn.execute(insert(series).values(**_about(last), runs=len(rows), mark=1))
        told = _stored(conn, key)
        made = [row | told.get(row["revision"], {}) for row in squares_of(conn, list(newest.values()))]
        conn.execute(insert(squares), made)


def squares_of(conn: Connection, rows: Sequence[Row[Any]]) -> list[Values]:
    """The squares that these rows of `runs` make, not judged yet."""
    beside = newest_baselines(conn, {place_of(row) for row in rows if row.method != Method.NONE.value})
    found = sample_rows(conn, [row.id for row in rows])
    return [square(row, found[row.id], beside.get(place_of(row))) for row in rows]


def judged(found: Sequence[VerdictView]) -> Values:
    """The columns that verdicts about one run fill."""
    shown = worst(found)
    noise = next((v.numbers.get("noise") for v in found if v.metric == Metric.ACCEPT_LENGTH.value), None)
    known = noise if isinstance(noise, int | float) and not isinstance(noise, bool) else None
    return {"state": shown.state, "why": shown.reason, "noise": known}


def square(row: Any, samples: Sequence[Any], baseline: Any = None) -> Values:
    """The square of one row of `runs` with its rows of `samples` and its baseline, not judged yet."""
    low, high = _accept_interval(row, samples)
    speed = run_speed(row)
    slow, fast = _speed_interval(speed, samples)
    return {
        **{name: getattr(row, name) for name in _COPIED},
        "reason": clip(row.reason, _LONGEST),
        "accept_length": run_accept_length(row),
        "low": low,
        "high": high,
        "tok_s": speed,
        "tok_s_low": slow,
        "tok_s_high": fast,
        "baseline_tok_s": baseline.tok_s if baseline and row.method != Method.NONE.value else None,
        **judged([]),
    }


def _accept_interval(row: Any, samples: Sequence[Any]) -> tuple[float | None, float | None]:
    prompts = [combine(counters_from_row(sample) for sample in rows) for rows in by_prompt(samples).values()]
    return accept_interval(prompts, draftless=Method(row.method).counts_draftless_steps)


def _speed_interval(speed: float | None, samples: Sequence[Any]) -> tuple[float | None, float | None]:
    single = by_prompt(row for row in samples if row.concurrency == 1)
    parts = [pooled((row.completion_tokens, row.seconds) for row in rows) for rows in single.values()]
    return jackknife(speed, leave_one_out(parts, lambda rest: rate(*pooled(rest))))


def _count(conn: Connection, row: Row[Any]) -> None:
    """One run more of its series, which is from now on about what this run says."""
    about = _about(row)
    values = {**about, "runs": series.c.runs + 1, "mark": series.c.mark + 1}
    done = conn.execute(update(series).where(series.c.series_key == row.series_key).values(**values))
    if not done.rowcount:
        conn.execute(insert(series).values(**about, runs=1, mark=1))


def _about(row: Row[Any]) -> Values:
    return {name: getattr(row, name) for name in _ABOUT}


def _is_newest(conn: Connection, row: Row[Any]) -> bool:
    columns = (runs.c.id, runs.c.outcome, runs.c.finished_at)
    held = select(*columns).join(squares, squares.c.run_id == runs.c.run_id).where(*_at(row.series_key, row.revision))
    before = conn.execute(held).first()
    return before is None or recency_key(row) > recency_key(before)


def _put(conn: Connection, values: Values) -> None:
    done = conn.execute(update(squares).where(*_at(values["series_key"], values["revision"])).values(**values))
    if not done.rowcount:
        conn.execute(insert(squares).values(**values))


def _beside(conn: Connection, row: Row[Any]) -> None:
    """A new baseline: the squares of its revision that are set against it."""
    keys = conn.scalars(select(series.c.series_key).where(series.c.baseline_key == row.series_key)).all()
    found: list[Any] = []
    for batch in batches(key for key in keys if key != row.series_key):
        columns = (squares.c.series_key, squares.c.boot, squares.c.baseline_tok_s)
        asked = (squares.c.series_key.in_(batch), squares.c.revision == row.revision)
        found += conn.execute(select(*columns).where(*asked))
    beside = newest_baselines(conn, {(row.series_key, row.revision, square.boot) for square in found})
    changed = []
    for square in found:
        baseline = beside.get((row.series_key, row.revision, square.boot))
        speed = baseline.tok_s if baseline else None
        if speed != square.baseline_tok_s:
            _update(conn, square.series_key, row.revision, {"baseline_tok_s": speed})
            changed.append(square.series_key)
    _mark(conn, changed)


def _stored(conn: Connection, series_key: str) -> dict[str, Values]:
    """By revision what the stored verdicts of the series say."""
    found: dict[str, list[VerdictView]] = {}
    for row in conn.execute(select(verdicts).where(verdicts.c.series_key == series_key)):
        found.setdefault(row.revision, []).append(VerdictView(row.metric, row.state, row.reason, row.numbers))
    return {revision: judged(views) for revision, views in found.items()}


def _revisions(conn: Connection, run_ids: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for batch in batches(sorted(run_ids)):
        rows = conn.execute(select(runs.c.run_id, runs.c.revision).where(runs.c.run_id.in_(batch)))
        found |= {row.run_id: row.revision for row in rows}
    return found


def _view(verdict: Verdict) -> VerdictView:
    return VerdictView(verdict.metric.value, verdict.state.value, clip(verdict.reason, _LONGEST), dict(verdict.numbers))


def _held(row: Row[Any]) -> Values:
    return {name: getattr(row, name) for name in _JUDGED}


def _update(conn: Connection, series_key: str, revision: str, values: Values) -> None:
    conn.execute(update(squares).where(*_at(series_key, revision)).values(**values))


def _mark(conn: Connection, keys: Iterable[str]) -> None:
    for batch in batches(keys):
        conn.execute(update(series).where(series.c.series_key.in_(batch)).values(mark=series.c.mark + 1))


def _at(series_key: str, revision: str) -> tuple[Any, Any]:
    return squares.c.series_key == series_key, squares.c.revision == revision
