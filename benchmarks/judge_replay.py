"""Series that arrive one revision after another: what is flagged at the newest, and the boots that are asked for."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge_data import Floats
from benchmarks.judge_series import SEED, SIBLINGS, Kind, Series
from matrix.stats.answer import boots_wanted
from matrix.stats.levels import find_levels
from matrix.stats.settings import DEFAULTS, JudgeSettings

NO_BOOTS = replace(DEFAULTS, max_boots=1)
"""Settings under which none may be asked for."""
Ints = NDArray[np.int64]
Flagged = tuple[NDArray[np.bool_], Ints]
"""Of each series, whether the newest revision is flagged, and the boots bought for it."""
Newest = Callable[[Series, list[int], Kind], Flagged]
"""From series, the place of the newest revision of each, and their kind."""


class Judge:
    """The rule of long series; it remembers what boots of earlier revisions showed."""

    def __init__(self, series: Series, kind: Kind, settings: JudgeSettings = DEFAULTS) -> None:
        self._series, self._kind, self._settings = series, kind, settings
        self._logs, self._boots = np.log(series.values), np.ones(series.values.shape)
        self._lowest = self._logs.copy()
        self._rng = np.random.default_rng([SEED, len(series.values)])

    def newest(self, at: Ints, rows: Ints) -> Flagged:
        """Judge these `rows`, whose newest revision is at `at`, and buy boots as long as they are asked for."""
        flagged, bought = np.zeros(len(rows), dtype=np.bool_), np.zeros(len(rows), dtype=np.int64)
        left = np.arange(len(rows))
        while len(left):
            fallen, asks = self._look(rows[left], at[left])
            flagged[left] = fallen
            left = left[asks & ~fallen]
            for i in left:
                bought[i] += self._buy(int(rows[i]), int(at[i]))
        return flagged, bought

    def _look(self, rows: Ints, at: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Series end in the last column, whatever their length."""
        columns = np.arange(-int(at.max()), 1) + at[:, None]
        known, rest = columns >= 0, np.maximum(columns, 0)
        values = np.where(known, self._logs[rows[:, None], rest], np.nan)
        boots = np.where(known, self._boots[rows[:, None], rest], 1.0)
        lift = (self._logs - self._lowest)[rows[:, None], rest] / np.maximum(boots - 1, 1)
        found = find_levels(values, boots, lift, self._series.noise[rows], np.full(len(rows), SIBLINGS), self._settings)
        return found.fallen[:, -1], found.asks[:, -1]

    def _buy(self, row: int, at: int) -> int:
        now = int(self._boots[row, at])
        wanted = boots_wanted(now, now, self._settings)[1]
        more = self._series.level[row, at] + self._kind.draw(self._rng, (wanted - now,))
        self._logs[row, at] = (now * self._logs[row, at] + more.sum()) / wanted
        self._lowest[row, at] = min(self._lowest[row, at], more.min())
        self._boots[row, at] = wanted
        return wanted - now


def delays(judge: Judge, places: list[int], latest: int, points: int) -> tuple[Ints, Floats]:
    """(revisions from `places` until the newest is flagged, at most `latest`; boots bought until then)."""
    waits, bought = np.full(len(places), latest), np.zeros(len(places))
    begin, open_ = np.array(places), np.arange(len(places))
    for seen in range(latest):
        open_ = open_[begin[open_] + seen < points]
        if not len(open_):
            break
        flagged, boots = judge.newest(begin[open_] + seen, open_)
        bought[open_] += boots
        waits[open_[flagged]] = seen
        open_ = open_[~flagged]
    return waits, bought


def ever_flagged(judge: Judge, series: int, first: int, points: int) -> tuple[int, float]:
    """(series in which any revision was flagged when it was the newest, boots bought a revision)."""
    ever, bought, rows = np.zeros(series, dtype=np.bool_), 0, np.arange(series)
    for at in range(first, points):
        flagged, boots = judge.newest(np.full(series, at), rows)
        ever |= flagged
        bought += int(boots.sum())
    return int(ever.sum()), bought / (series * (points - first))
