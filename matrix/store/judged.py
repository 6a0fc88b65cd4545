"""What is kept of a series for its judge: thresholds from the config, and the noise between its boots."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, Text, bindparam, cast, select, update

from matrix.core.outcome import Outcome
from matrix.core.state import Metric
from matrix.store.baselines import batches
from matrix.store.jsonio import dumps
from matrix.store.order import followed
from matrix.store.tables import judged_series, runs, series
from matrix.store.tables.judged import falls, judged_revisions
from matrix.store.transactions import Transactions, insert_new

Place = tuple[str, str]
"""Engine and hardware of a series: the noise of those that share both is lent to each other."""
Noise = dict[str, dict[str, float]]
"""By metric: `variance`, `within` and `df`."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A stored comparison: its one-sided p of a fall, and its q-value, None until its release was controlled."""

    series_key: str
    metric: Metric
    p: float
    q: float | None

    @property
    def member(self) -> tuple[str, Metric]:
        return self.series_key, self.metric


class Judged:
    """Rows are made as series are swept or judged; what is not stored is the judge's default."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def places(self, keys: Iterable[str] | None = None) -> dict[str, Place]:
        """Engine and hardware of every series that has a run (of these keys, or all), in the order of keys."""
        query = select(series.c.series_key, series.c.engine, series.c.hardware).order_by(series.c.series_key)
        return {key: (engine, hardware) for key, engine, hardware in self._of(query, series.c.series_key, keys)}

    def repeated(self, keys: Iterable[str] | None = None) -> set[str]:
        """Keys of the series in which a revision was booted more than once: those that show noise between boots."""
        query = select(runs.c.series_key).where(runs.c.boot > 0).distinct()
        return {row.series_key for row in self._of(query, runs.c.series_key, keys)}

    def repeats(self, keys: Iterable[str]) -> dict[str, int]:
        """How many boots above the first of a revision each of these series has that served; those without left out."""
        served = (runs.c.boot > 0, runs.c.outcome == Outcome.OK.value)
        query = select(runs.c.series_key, runs.c.revision, runs.c.boot).where(*served).distinct()
        return dict(Counter(row.series_key for row in self._of(query, runs.c.series_key, keys)))

    def thresholds(self, keys: Iterable[str] | None = None) -> dict[str, dict[str, float]]:
        """Thresholds by series, those alone that depart from the judge's own; series without any are left out."""
        query = select(judged_series.c.series_key, judged_series.c.thresholds)
        departing = query.where(cast(judged_series.c.thresholds, Text) != dumps({}))
        return {row.series_key: row.thresholds for row in self._of(departing, judged_series.c.series_key, keys)}

    def keep_thresholds(self, said: Mapping[str, tuple[Place, Mapping[str, float]]]) -> None:
        """Put these in the place of what was stored for the series; others keep theirs."""
        with self._db.read() as conn:
            query = select(judged_series.c.series_key, judged_series.c.thresholds)
            stored = {row.series_key: row.thresholds for row in conn.execute(query)}
        for key, (place, values) in said.items():
            if stored.get(key, {}) != dict(values):
                self._put(key, place, {"thresholds": dict(values)})

    def noises(self, place: Place) -> dict[str, Noise]:
        """The noise between their own boots that series of this engine and hardware showed, when last judged."""
        mine = (judged_series.c.engine == place[0], judged_series.c.hardware == place[1])
        query = select(judged_series.c.series_key, judged_series.c.noise).where(*mine)
        with self._db.read() as conn:
            rows = conn.execute(query.where(judged_series.c.noise.is_not(None))).all()
        return {row.series_key: row.noise for row in rows}

    def keep_noise(self, shown: Mapping[str, tuple[Place, Noise]]) -> None:
        """Store the noise of each series' own boots."""
        query = select(judged_series.c.series_key, judged_series.c.noise)
        stored = {row.series_key: row.noise for row in self._of(query, judged_series.c.series_key, shown)}
        for key, (place, noise) in shown.items():
            if stored.get(key) != noise:
                self._put(key, place, {"noise": noise})

    def releases(self) -> list[tuple[str, str]]:
        """Engine and revision of all stored comparisons."""
        with self._db.read() as conn:
            query = select(falls.c.engine, falls.c.revision).distinct().order_by(falls.c.engine, falls.c.revision)
            return [(row.engine, row.revision) for row in conn.execute(query)]

    def falls_in(self, engine: str, revision: str) -> list[Fall]:
        """The stored comparisons of one release, of all series."""
        columns = (falls.c.series_key, falls.c.metric, falls.c.p, falls.c.q)
        mine = (falls.c.engine == engine, falls.c.revision == revision)
        with self._db.read() as conn:
            return [
                Fall(key, Metric(metric), p, q) for key, metric, p, q in conn.execute(select(*columns).where(*mine))
            ]

    def keep_q(self, release: tuple[str, str], q: Mapping[tuple[str, Metric], float]) -> None:
        """Store the q-values of some comparisons of one release, by series and metric, and note in the judge's memory
        that those series have yet to be told.
        """
        if not q:
            return
        c = falls.c
        mine = (c.engine == release[0], c.revision == release[1])
        one = (c.series_key == bindparam("of_series"), c.metric == bindparam("of_metric"))
        rows = [{"of_series": key, "of_metric": metric.value, "to": value} for (key, metric), value in q.items()]
        untold = (judged_revisions.c.series_key == bindparam("of_series"), judged_revisions.c.revision == release[1])
        with self._db.write() as conn:
            conn.execute(update(falls).where(*mine, *one).values(q=bindparam("to")), rows)
            conn.execute(update(judged_revisions).where(*untold).values(said=""), rows)

    def _put(self, key: str, place: Place, values: dict[str, Any]) -> None:
        row = {"series_key": key, "engine": place[0], "hardware": place[1], "thresholds": {}, **values}
        with self._db.write() as conn:
            if not insert_new(conn, judged_series, row, "series_key"):
                conn.execute(update(judged_series).where(judged_series.c.series_key == key).values(**values))

    def _of(self, query: Select[Any], column: Any, keys: Iterable[str] | None) -> list[Any]:
        query = query.where(followed(column))
        with self._db.read() as conn:
            if keys is None:
                return list(conn.execute(query))
            return [row for batch in batches(sorted(keys)) for row in conn.execute(query.where(column.in_(batch)))]
