"""The judge's memory of a series: what it concluded of each revision and what that rests on, so that it can go on."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Flip, Metric, State, Verdict
from matrix.store.flipsaving import put_flips
from matrix.store.jsonio import dumps
from matrix.store.order import recency_key, revision_key
from matrix.store.squares import tell
from matrix.store.tables import runs, verdicts
from matrix.store.tables.judged import falls, judged_revisions
from matrix.store.transactions import Transactions
from matrix.store.verdictrows import fall_rows, forget, put_verdicts, verdict_rows

Q = Mapping[tuple[str, Metric], float]
"""q-values by revision and metric."""
_METRICS, _STATES = {metric.value: metric for metric in Metric}, {state.value: state for state in State}
"""Much quicker to look up in than the enumerations themselves."""
_NOTED = ("revision", "inputs", "chain", "said", "trace", "leaves", "alone")


@dataclass(frozen=True, slots=True)
class Read:
    """A run that the judge takes, and the baseline run beside it (its id; None without one)."""

    revision: str
    boot: int
    run_id: str
    baseline: str | None


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is stored of one revision: see the table `judged_revisions`. `run_id` and `verdicts` are the conclusion."""

    revision: str
    inputs: str
    chain: str
    trace: Any
    leaves: str
    alone: Any
    run_id: str
    verdicts: tuple[Verdict, ...]
    said: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Runs in the order of revisions and boots; what is remembered, by revision; (p, q) by revision and metric."""

    reads: Sequence[Read] = ()
    remembered: Mapping[str, Remembered] = field(default_factory=dict)
    falls: Mapping[tuple[str, Metric], tuple[float, float | None]] = field(default_factory=dict)


class Memory:
    """Verdicts, p-values, flips and memory of a series are one conclusion: they are stored in one transaction."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def history(self, series_key: str) -> History:
        """The series as it stands, without counters; empty for an unknown one."""
        with self._db.read() as conn:
            return History(_reads(conn, series_key), _remembered(conn, series_key), _falls(conn, series_key))

    def save(
        self,
        series_key: str,
        engine: str,
        rows: Sequence[Remembered],
        q: Q,
        flips: tuple[Iterable[Flip], Collection[Flip]],
    ) -> None:
        """Put `rows`, one a revision, and `flips` (found, standing) in the place of what was stored; rows that say what
        is stored already are not written again.
        """
        marked = [(row, _said(series_key, engine, row, q)) for row in rows]
        with self._db.write() as conn:
            stored = _marks(conn, series_key)
            fresh = [(row, said) for row, said in marked if stored.get(row.revision) != (row.inputs, row.chain, said)]
            # A run whose revision was changed by hand leaves what was concluded of the revision that it had.
            gone = stored.keys() - {row.revision for row in rows}
            forget(conn, series_key, [*(row.revision for row, _ in fresh), *sorted(gone)] if stored else None)
            if fresh:
                _write(conn, series_key, engine, fresh, q)
                tell(conn, series_key, {row.run_id: row.verdicts for row, _ in fresh}, partial=bool(stored))
            put_flips(conn, series_key, *flips)


def _reads(conn: Connection, series_key: str) -> list[Read]:
    """The newest run of each (revision, boot), as `pointrows.series_points` takes them; an index holds all it needs."""
    about = conn.execute(
        select(runs.c.baseline_key, runs.c.method).where(runs.c.series_key == series_key).limit(1)
    ).first()
    if about is None:
        return []
    newest: dict[tuple[str, int], Row[Any]] = {}
    for row in _narrow(conn, series_key):
        other = newest.get((row.revision, row.boot))
        newest[row.revision, row.boot] = row if other is None else max(other, row, key=recency_key)
    beside = _baselines(conn, about.baseline_key) if about.method != Method.NONE.value else {}
    ordered = sorted(newest.values(), key=lambda row: (revision_key(row.revision), row.boot))
    return [Read(r.revision, r.boot, r.run_id, _beside(beside.get(r.revision, ()), r.boot)) for r in ordered]


def _narrow(conn: Connection, series_key: str) -> Sequence[Any]:
    c = runs.c
    columns = (c.id, c.run_id, c.revision, c.boot, c.outcome, c.finished_at)
    return conn.execute(select(*columns).where(c.series_key == series_key)).all()


def _baselines(conn: Connection, baseline_key: str) -> dict[str, list[Row[Any]]]:
    found: dict[str, list[Row[Any]]] = {}
    for row in _narrow(conn, baseline_key):
        if row.outcome == Outcome.OK.value:
            found.setdefault(row.revision, []).append(row)
    return found


def _beside(rows: Sequence[Row[Any]], boot: int) -> str | None:
    """The choice that `baselines.newest_baselines` makes."""
    if len(rows) > 1:
        rows = [max(rows, key=lambda row: (row.boot == boot, recency_key(row)))]
    return str(rows[0].run_id) if rows else None


def _remembered(conn: Connection, series_key: str) -> dict[str, Remembered]:
    """Revisions whose verdicts are all there."""
    said: dict[str, dict[str, Verdict]] = {}
    shown: dict[str, str] = {}
    c = verdicts.c
    query = select(c.run_id, c.metric, c.revision, c.state, c.reason, c.numbers).where(c.series_key == series_key)
    for run_id, metric, revision, state, reason, numbers in conn.execute(query).all():
        verdict = Verdict(_METRICS[metric], _STATES[state], reason, tuple(numbers.items()))
        said.setdefault(revision, {})[metric] = verdict
        shown[revision] = run_id
    columns = [judged_revisions.c[name] for name in _NOTED]
    found = {}
    for row in conn.execute(select(*columns).where(judged_revisions.c.series_key == series_key)).all():
        noted = dict(zip(_NOTED, row, strict=True))
        of = said.get(noted["revision"], {})
        if len(of) == len(Metric):
            final = tuple(of[metric] for metric in Metric)
            found[noted["revision"]] = Remembered(run_id=shown[noted["revision"]], verdicts=final, **noted)
    return found


def _falls(conn: Connection, series_key: str) -> dict[tuple[str, Metric], tuple[float, float | None]]:
    c = falls.c
    rows = conn.execute(select(c.revision, c.metric, c.p, c.q).where(c.series_key == series_key)).all()
    return {(revision, _METRICS[metric]): (p, q) for revision, metric, p, q in rows}


def _said(series_key: str, engine: str, row: Remembered, q: Q) -> str:
    """The digest of all that is concluded of one revision; one that is known is not worked out again."""
    if row.said:
        return row.said
    whole = [
        verdict_rows(series_key, row.run_id, row.revision, row.verdicts),
        fall_rows(series_key, engine, row.revision, row.verdicts, q),
        row.alone,
    ]
    return hashlib.sha256(dumps(whole).encode()).hexdigest()[:32]


def _marks(conn: Connection, series_key: str) -> dict[str, tuple[str, str, str]]:
    c = judged_revisions.c
    rows = conn.execute(select(c.revision, c.inputs, c.chain, c.said).where(c.series_key == series_key))
    return {row.revision: (row.inputs, row.chain, row.said) for row in rows}


def _write(conn: Connection, series_key: str, engine: str, fresh: Sequence[tuple[Remembered, str]], q: Q) -> None:
    judged = [v for r, _ in fresh for v in verdict_rows(series_key, r.run_id, r.revision, r.verdicts)]
    p_values = [fall for r, _ in fresh for fall in fall_rows(series_key, engine, r.revision, r.verdicts, q)]
    put_verdicts(conn, judged, p_values)
    columns = [{name: getattr(row, name) for name in _NOTED} | {"said": said} for row, said in fresh]
    conn.execute(insert(judged_revisions), [values | {"series_key": series_key} for values in columns])
