"""What explains a flip: its two runs side by side, and the runs beside them."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric, State
from matrix.stats.sides import Life, Neighbour, Side
from matrix.store.baselines import batches, newest_baselines, place_of
from matrix.store.cells import RunCell, run_cells
from matrix.store.contents import get_locks
from matrix.store.neighbours import healthy, neighbours, newest_known, states
from matrix.store.order import recency_key
from matrix.store.releases import ReleaseRows, release_rows
from matrix.store.resultrows import run_accept_length, run_speed
from matrix.store.revisions import newest_first, newest_revisions
from matrix.store.states import verdicts_by_run
from matrix.store.tables import runs, series, verdicts
from matrix.store.transactions import Transactions
from matrix.store.uptime import uptime_view
from matrix.store.views import VerdictView

_LEFT_OUT = ("cell", "command", "excerpt", "recipe_text", "artifact_notes")
_COLUMNS = tuple(column for column in runs.c if column.name not in _LEFT_OUT)
_SAME = {f.name for f in fields(Side)} & set(runs.c.keys())


class Compare:
    """Only reads. Every question seeks in an index, however many runs there are."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def sides(self, run_ids: Iterable[str | None]) -> dict[str, Side]:
        """These runs by id; unknown ids are left out."""
        found: dict[str, Side] = {}
        with self._db.read() as conn:
            for batch in batches(sorted({run_id for run_id in run_ids if run_id})):
                rows = conn.execute(select(*_COLUMNS).where(runs.c.run_id.in_(batch))).all()
                found |= _sides(conn, rows)
        return found

    def cells(self, wanted: Mapping[str, str]) -> list[RunCell]:
        """Cells that have exactly these names, by column of `runs`; each with its newest run."""
        with self._db.read() as conn:
            return run_cells(conn, wanted)

    def release(self, engine: str, revision: str) -> ReleaseRows:
        """One revision of an engine: its cells, artifacts, neighbours and flips; NotFoundError without a run."""
        with self._db.read() as conn:
            return release_rows(conn, engine, revision)

    def revisions(self, engine: str) -> list[str]:
        """The engine's revisions that were run, newest first."""
        with self._db.read() as conn:
            return newest_revisions(conn, engine)

    def beside(self, engine: str, revision: str, metric: Metric) -> list[Neighbour]:
        """The newest run of every series of this engine at this revision."""
        with self._db.read() as conn:
            return neighbours(conn, metric, [revision], series.c.engine == engine)

    def histories(self, series_keys: Iterable[str]) -> dict[tuple[str, str], list[tuple[str, State]]]:
        """By series and metric: the judged revisions in their order, with the state at each."""
        found: dict[tuple[str, str], list[tuple[str, State]]] = {}
        with self._db.read() as conn:
            said = states(conn, set(series_keys))
        for (key, revision, metric), state in said.items():
            found.setdefault((key, metric), []).append((revision, state))
        return {place: _in_order(rows) for place, rows in found.items()}

    def states(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str, str], State]:
        """States by series, revision and metric, at these (series key, revision) alone."""
        found: dict[tuple[str, str, str], State] = {}
        keys: dict[str, set[str]] = {}
        for key, revision in places:
            keys.setdefault(revision, set()).add(key)
        with self._db.read() as conn:
            for revision, of_revision in keys.items():
                found |= states(conn, of_revision, {revision})
        return found

    def history(self, series_key: str, metric: Metric) -> list[tuple[str, State]]:
        """The same of one series and metric."""
        return self.histories([series_key]).get((series_key, metric.value), [])

    def verdicts(self, series_key: str, run_id: str) -> list[VerdictView]:
        """The verdicts that rest on this run, metrics in their order; empty where another boot shows them better."""
        with self._db.read() as conn:
            return verdicts_by_run(conn, series_key).get(run_id, [])

    def numbers(self, places: Iterable[tuple[str, str | None]]) -> dict[tuple[str, str, str], dict[str, Any]]:
        """By series, run and metric: the numbers of the verdicts that rest on these (series, run)."""
        columns = (verdicts.c.series_key, verdicts.c.run_id, verdicts.c.metric, verdicts.c.numbers)
        found = {}
        with self._db.read() as conn:
            for batch in batches(sorted({(key, run_id) for key, run_id in places if run_id})):
                keys, ids = {key for key, _ in batch}, {run_id for _, run_id in batch}
                asked = (verdicts.c.series_key.in_(sorted(keys)), verdicts.c.run_id.in_(sorted(ids)))
                for row in conn.execute(select(*columns).where(*asked)):
                    found[row.series_key, row.run_id, row.metric] = dict(row.numbers)
        return found

    def elsewhere(self, side: Side) -> list[Neighbour]:
        """The same draft file with the same target on each other engine: its newest measured revision there."""
        if side.draft_content is None:
            return []
        asked = (series.c.draft_content == side.draft_content, _same_target(side))
        with self._db.read() as conn:
            others = conn.scalars(select(series.c.engine).where(*asked, series.c.engine != side.engine).distinct())
            found = [newest_known(conn, Metric.ACCEPT_LENGTH, engine, *asked) for engine in sorted(others)]
        return [neighbour for neighbour in found if neighbour]

    def predecessor(self, side: Side) -> Side | None:
        """The last healthy run before this one under the same names in another series: another file or machine."""
        names = ("engine", "target", "draft", "spec", "workload")
        same = [runs.c[name] == getattr(side, name) for name in names]
        own = select(runs.c.series_key, runs.c.finished_at).where(runs.c.run_id == side.run_id)
        with self._db.read() as conn:
            here = conn.execute(own).one()
            rows = conn.execute(
                select(*_COLUMNS).where(
                    *same,
                    runs.c.series_key != here.series_key,
                    runs.c.outcome == Outcome.OK.value,
                    runs.c.finished_at < here.finished_at,
                )
            ).all()
            fine = healthy(conn, {row.series_key for row in rows})
            rows = [row for row in rows if (row.series_key, row.revision) in fine]
            return next(iter(_sides(conn, [max(rows, key=recency_key)]).values())) if rows else None


def _in_order(said: list[tuple[str, State]]) -> list[tuple[str, State]]:
    """By revision, each of which is told once, the oldest first."""
    states = dict(said)
    return [(revision, states[revision]) for revision in reversed(newest_first(tuple(sorted(states))))]


def _same_target(side: Side) -> ColumnElement[bool]:
    if side.target_content:
        return series.c.target_content == side.target_content
    return series.c.target == side.target


def _sides(conn: Connection, rows: Iterable[Row[Any]]) -> dict[str, Side]:
    rows = list(rows)
    beside = newest_baselines(conn, {place_of(row) for row in rows})
    # Many runs share one lock: it is read and parsed once.
    packages = {ref: _packages(lines) for ref, lines in get_locks(conn, {row.lock_ref for row in rows}).items()}
    return {row.run_id: _side(row, beside.get(place_of(row)), packages[row.lock_ref]) for row in rows}


def _side(row: Row[Any], baseline: Any, lock: dict[str, str]) -> Side:
    return Side(
        **{name: getattr(row, name) for name in _SAME},
        lock=lock,
        artifact=row.artifact_digest,
        accept_length=run_accept_length(row),
        tok_s=run_speed(row),
        baseline_tok_s=baseline.tok_s if baseline else None,
        life=_life(row),
    )


def _life(row: Row[Any]) -> Life | None:
    seen = uptime_view(row.uptime, draftless=Method(row.method).counts_draftless_steps)
    return Life(seen.minutes, seen.first, seen.last, seen.drift) if seen else None


def _packages(lines: Iterable[str]) -> dict[str, str]:
    """Versions by lower-case package name; a package from a URL has the URL as its version."""
    found = {}
    for line in lines:
        for sign in ("==", " @ "):
            name, found_sign, version = line.partition(sign)
            if found_sign:
                found[name.strip().lower()] = version.strip()
                break
    return found
