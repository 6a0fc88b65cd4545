"""Comparisons of one release of an engine are controlled together, whichever sweeps made them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from matrix.app.lending import Places
from matrix.app.thresholds import settings_of
from matrix.core.state import Metric
from matrix.stats.control import Place, comparisons, control, settled
from matrix.stats.judge import SeriesJudgement
from matrix.stats.settings import DEFAULTS, JudgeSettings
from matrix.store import Fall, Store

Family = tuple[str, str]
"""Engine and revision."""
Member = tuple[str, Metric]
"""A comparison inside its family: series key and metric."""
Values = dict[Family, dict[Member, float]]
"""p-values or q-values."""


def families(found: Mapping[str, Mapping[Place, float]], places: Places) -> Values:
    """The p-values (or q-values) of all comparisons of these series, by family."""
    values: Values = defaultdict(dict)
    for key, of_series in found.items():
        for (revision, metric), value in of_series.items():
            values[places[key][0], revision][key, metric] = value
    return dict(values)


def q_values(p_values: Values) -> Values:
    """The q-value of each comparison, where the families are whole."""
    return {family: _controlled(members) for family, members in p_values.items()}


def q_beside_stored(store: Store, p_values: Values, kept: Values) -> tuple[Values, set[str]]:
    """The q-values of these comparisons where the rest of each family is stored, and the other series whose state they
    overturn. `kept` are the stored q-values of those that came out as they were.

    A family in which none of these comparisons is new keeps the q-values it has.
    """
    keys = {key for members in p_values.values() for key, _ in members}
    found: Values = {}
    overturned: set[str] = set()
    for family, mine in p_values.items():
        found[family] = kept.get(family, {})
        if len(found[family]) == len(mine):
            continue
        rest = [fall for fall in store.judged.falls_in(*family) if fall.series_key not in keys]
        found[family] = _controlled(mine | {fall.member: fall.p for fall in rest})
        overturned |= _overturned(store, rest, found[family])
    return found, overturned


def control_releases(store: Store) -> list[str]:
    """Control every release over its stored comparisons, and store the q-values; returns the series whose q-values
    changed, in the order of keys. One release is held in memory at a time.
    """
    changed: set[str] = set()
    for family in store.judged.releases():
        falls = store.judged.falls_in(*family)
        q = _controlled({fall.member: fall.p for fall in falls})
        moved = {fall.member: q[fall.member] for fall in falls if fall.q != q[fall.member]}
        store.judged.keep_q(family, moved)
        changed |= {key for key, _ in moved}
    return sorted(changed)


def _overturned(store: Store, rest: Sequence[Fall], q: Mapping[Member, float]) -> set[str]:
    """Series of the falls that the control let stand and now does not, or the other way round."""
    stored = store.judged.thresholds()
    limits = {key: settings_of(values).false_discovery for key, values in stored.items()}
    return {f.series_key for f in rest if _crossed(f, q[f.member], limits.get(f.series_key, DEFAULTS.false_discovery))}


def _crossed(fall: Fall, q: float, limit: float) -> bool:
    return fall.p <= limit and (fall.q is None or (fall.q <= limit) != (q <= limit))


def controlled(
    found: Mapping[str, SeriesJudgement], places: Places, q: Values, settings: Mapping[str, JudgeSettings]
) -> dict[str, SeriesJudgement]:
    """The judgements with their q-values, and the states and flips that follow."""
    return {
        key: settled(judgement, q_of(key, comparisons(judgement), places[key][0], q), settings[key])
        for key, judgement in found.items()
    }


def q_of(key: str, of_series: Iterable[Place], engine: str, q: Values) -> dict[Place, float]:
    """The q-values of one series by revision and metric."""
    return {place: q[engine, place[0]][key, place[1]] for place in of_series}


def _controlled(members: Mapping[Member, float]) -> dict[Member, float]:
    return dict(zip(members, control(list(members.values())), strict=True))
