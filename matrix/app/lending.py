"""The noise between boots, and who lends it to whom: series of one engine and hardware do."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate

from matrix.app.points import points
from matrix.core.state import Metric
from matrix.stats.floors import Floors, pooled
from matrix.stats.judge import NO_SIBLINGS, noise_of
from matrix.stats.noise import NoiseFloor
from matrix.stats.settings import JudgeSettings
from matrix.store import Noise, Place, Store

Places = Mapping[str, Place]


def own_noise(store: Store, keys: Iterable[str], settings: Mapping[str, JudgeSettings]) -> dict[str, Floors]:
    """The noise that each of these series showed between its own boots, from its runs."""
    return {key: noise_of(points(store, key), settings[key]) for key in sorted(keys)}


def stored_noise(store: Store, places: Places) -> tuple[dict[str, Floors], dict[str, Place]]:
    """The same of all series on the engines and hardware of `places` as it was stored, and where each belongs."""
    noise: dict[str, Floors] = {}
    lenders: dict[str, Place] = {}
    for place in sorted(set(places.values())):
        for key, stored in store.judged.noises(place).items():
            noise[key], lenders[key] = _floors(stored), place
    return noise, lenders


def keep_noise(store: Store, own: Mapping[str, Floors], places: Places) -> None:
    """Store what each series showed."""
    shown = {key: {metric.value: _noise(floor) for metric, floor in floors.items()} for key, floors in own.items()}
    store.judged.keep_noise({key: (places[key], noise) for key, noise in shown.items()})


def lent(noise: Mapping[str, Floors], lenders: Places, borrowers: Places) -> dict[str, Floors]:
    """For each borrower the pooled noise of all lenders at its place but itself."""
    groups: dict[Place, dict[str, Floors]] = defaultdict(dict)
    for key in sorted(noise):
        groups[lenders[key]][key] = noise[key]
    whole: dict[Place, Floors] = {place: pooled(list(floors.values())) for place, floors in groups.items()}
    own = {key: floors for group in groups.values() for key, floors in _without_own(group).items()}
    return {key: own.get(key) or whole.get(place, NO_SIBLINGS) for key, place in borrowers.items()}


def _noise(floor: NoiseFloor) -> dict[str, float]:
    return {"variance": floor.variance, "within": floor.within, "df": floor.df}


def _floors(noise: Noise) -> Floors:
    return {Metric(metric): NoiseFloor(**floor) for metric, floor in noise.items()}


def _without_own(floors: dict[str, Floors]) -> dict[str, Floors]:
    """For each key the pool of all others: what comes before it with what comes after it, so that it stays linear."""
    rows = list(floors.values())
    before = list(accumulate(rows, _join, initial=NO_SIBLINGS))
    after = list(accumulate(reversed(rows), _join, initial=NO_SIBLINGS))[::-1]
    return {key: _join(before[i], after[i + 1]) for i, key in enumerate(floors)}


def _join(one: Floors, other: Floors) -> Floors:
    return pooled([one, other])
