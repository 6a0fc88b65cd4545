"""A database of years: `python -m benchmarks.bigstore FILE RUNS` makes RUNS runs of 16 prompts over 2,000 series.

Two engines, ten targets, four machines and five workloads, each served by a baseline and four drafts. Every revision is
run in every series, every fourth of them twice, so RUNS / 2,500 revisions of each engine: releases with nightlies in
between. One series in fifty has fallen and stands so, one in three fell and was repaired. The same RUNS give the same
rows: SQL multiplies a few hundred runs, made and summed up by the store's own code, by revisions.
"""

import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.bigrows import REVISION, Plan, plan
from matrix.store import open_store

_RUNS = """
INSERT INTO runs ({names})
SELECT {values} FROM place p JOIN base b ON b.series_key = p.series_key JOIN shape h ON h.shape = p.shape ORDER BY p.id
"""
_SAMPLES = """
INSERT INTO samples (run, {names}) SELECT p.id, {values} FROM place p JOIN shape_samples s ON s.shape = p.shape
ORDER BY p.id, s.ordinal
"""
_SQUARES = """
INSERT INTO squares (series_key, revision, run_id, boot, outcome, reason, finished_at, accept_length, low, high, tok_s,
tok_s_low, tok_s_high, baseline_tok_s, state, why, noise)
SELECT r.series_key, r.revision, r.run_id, r.boot, r.outcome, r.reason, r.finished_at, h.accept_length, h.low, h.high,
h.tok_s, h.tok_s_low, h.tok_s_high,
CASE WHEN p.baseline = r.series_key THEN NULL ELSE (SELECT x.tok_s FROM place q JOIN shape x ON x.shape = q.shape
WHERE q.series_key = p.baseline AND q.rev = p.rev AND q.boot = p.boot) END, p.state, p.why, p.noise
FROM place p JOIN runs r ON r.id = p.id JOIN shape h ON h.shape = p.shape WHERE p.newest
ORDER BY r.series_key, r.revision
"""
_VERDICTS = """
INSERT INTO verdicts (series_key, run_id, metric, revision, state, reason, numbers)
SELECT r.series_key, r.run_id, m.metric, r.revision, CASE WHEN m.metric = 'accept-length' THEN p.told ELSE m.state END,
CASE WHEN m.metric = 'accept-length' THEN p.said ELSE m.reason END,
CASE WHEN m.metric = 'accept-length' AND p.noise IS NULL THEN '{}' ELSE m.numbers END
FROM place p JOIN runs r ON r.id = p.id CROSS JOIN metric m WHERE p.newest ORDER BY r.series_key, r.run_id, m.metric
"""


def make(path: Path, runs: int) -> None:
    """Write the database to `path`, which must not exist."""
    if path.exists():
        raise FileExistsError(path)
    made = plan(runs)
    store = open_store(f"sqlite:///{path}")
    made.save_shared(store)
    store.close()
    raw = sqlite3.connect(path, isolation_level=None)
    for pragma in (
        "journal_mode=OFF",
        "synchronous=OFF",
        "cache_size=-400000",
        "temp_store=FILE",
        "locking_mode=EXCLUSIVE",
    ):
        raw.execute(f"PRAGMA {pragma}")
    indexes = _without_indexes(raw)
    raw.execute("BEGIN")
    _small(raw, made)
    for step in (_runs_sql(raw), _samples_sql(raw), _SQUARES, _VERDICTS):
        raw.execute(step)
    _series_and_flips(raw, made)
    for sql in indexes:
        raw.execute(sql)
    raw.execute("COMMIT")
    raw.execute("ANALYZE")
    raw.execute("PRAGMA journal_mode=WAL")
    raw.close()


def _without_indexes(raw: sqlite3.Connection) -> list[str]:
    """Drop the indexes of what is filled; returns the statements that make them again."""
    mine = "type = 'index' AND sql IS NOT NULL AND tbl_name IN ('runs', 'verdicts')"
    found = raw.execute(f"SELECT name, sql FROM sqlite_master WHERE {mine}").fetchall()  # noqa: S608 - a constant
    for name, _ in found:
        raw.execute(f'DROP INDEX "{name}"')
    return [sql for _, sql in found]


def _small(raw: sqlite3.Connection, made: Plan) -> None:
    """The tables that are multiplied."""
    _table(raw, "base", made.base)
    _table(raw, "shape", made.shapes)
    _table(raw, "shape_samples", made.shape_samples)
    _table(raw, "metric", made.metrics)
    names = "run_id, series_key, baseline, rev, revision, boot, shape, newest, state, why, told, said, noise, at"
    raw.execute(f"CREATE TEMP TABLE place (id INTEGER PRIMARY KEY, {names})")
    raw.executemany(_insert("place", 15), made.places())
    raw.execute("CREATE INDEX temp.place_of ON place (series_key, rev, boot)")


def _table(raw: sqlite3.Connection, name: str, rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    raw.execute(f"CREATE TEMP TABLE {name} ({', '.join(names)}, PRIMARY KEY ({_KEYS[name]}))")
    raw.executemany(_insert(name, len(names)), [tuple(row[n] for n in names) for row in rows])


_KEYS = {"base": "series_key", "shape": "shape", "shape_samples": "shape, ordinal", "metric": "metric"}
_OF_PLACE = {
    "id": "p.id",
    "run_id": "p.run_id",
    "content_key": "printf('%064x', p.id)",
    "revision": "p.revision",
    "boot": "p.boot",
    "cell": f"replace(b.cell, '{REVISION}', p.revision)",
    "started_at": "p.at - 120",
    "finished_at": "p.at",
}


def _runs_sql(raw: sqlite3.Connection) -> str:
    names = _columns(raw, "runs")
    shape = set(_columns(raw, "shape", "temp."))
    values = [_OF_PLACE.get(name) or (f"h.{name}" if name in shape else f"b.{name}") for name in names]
    return _RUNS.format(names=", ".join(names), values=", ".join(values))


def _samples_sql(raw: sqlite3.Connection) -> str:
    names = [name for name in _columns(raw, "samples") if name != "run"]
    return _SAMPLES.format(names=", ".join(names), values=", ".join(f"s.{name}" for name in names))


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608 - names of tables of this file


def _columns(raw: sqlite3.Connection, table: str, schema: str = "") -> list[str]:
    return [row[1] for row in raw.execute(f"PRAGMA {schema}table_info({table})")]


def _series_and_flips(raw: sqlite3.Connection, made: Plan) -> None:
    for table, rows in (("series", made.series), ("flips", list(made.flips())), ("judged_series", made.judged)):
        names = list(rows[0])
        sql = _insert(f"{table} ({', '.join(names)})", len(names))
        raw.executemany(sql, [tuple(row.values()) for row in rows])


def main(path: str, runs: str) -> Iterator[str]:
    begun = time.monotonic()
    make(Path(path), int(runs))
    yield f"{path}: {runs} runs, {Path(path).stat().st_size / 2**20:.0f} MiB, {time.monotonic() - begun:.0f} s"


if __name__ == "__main__":
    for line in main(*sys.argv[1:]):
        print(line)
