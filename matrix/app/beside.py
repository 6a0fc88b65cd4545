"""All that is read to set cells side by side, each question asked once for all of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from matrix.app.lending import lent, stored_noise
from matrix.app.points import run_point
from matrix.app.thresholds import settings_of
from matrix.core.state import Metric, State
from matrix.plan.pairs import Pair
from matrix.stats.boots import Revision, revisions
from matrix.stats.floors import Floors, pooled
from matrix.stats.judge import NO_SIBLINGS, JudgeSettings, with_siblings
from matrix.stats.noise import UNMEASURED
from matrix.stats.sides import Side
from matrix.store import Store
from matrix.store.cells import RunCell
from matrix.store.order import revision_key

Place = tuple[str, str]
_UNMEASURED: Floors = {Metric.ACCEPT_LENGTH: UNMEASURED, Metric.SPEED: UNMEASURED}


@dataclass(frozen=True, slots=True)
class Known:
    """`sides` by run id; `revisions` (pooled boots) by series and revision, `states` by these and metric; the rest by
    series. Histories are those alone that a word may hang on: of cells that changed and were not healthy before.
    """

    sides: Mapping[str, Side]
    revisions: Mapping[Place, Revision]
    states: Mapping[tuple[str, str, str], State]
    histories: Mapping[tuple[str, str], Sequence[tuple[str, State]]]
    thresholds: Mapping[str, Mapping[str, float]]
    own: Mapping[str, Floors]
    siblings: Mapping[str, Floors]

    @classmethod
    def read(cls, store: Store, found: Sequence[Pair[RunCell]]) -> "Known":
        whole = [pair for pair in found if pair.before is not None and pair.after is not None]
        cells = {cell for pair in whole for cell in (pair.before, pair.after) if cell is not None}
        keys = {cell.series_key for cell in cells}
        places = {cell.series_key: (cell.engine, cell.hardware) for cell in cells}
        own, lenders = stored_noise(store, places)
        states = store.compare.states((cell.series_key, cell.revision) for cell in cells)
        points = store.series.points_at((cell.series_key, cell.revision) for cell in cells)
        return cls(
            sides=store.compare.sides(cell.run_id for cell in cells),
            revisions={place: revisions([run_point(p) for p in boots])[0] for place, boots in points.items()},
            states=states,
            histories=store.compare.histories(_unclear(whole, states)),
            thresholds=store.judged.thresholds(keys),
            own=own,
            siblings=lent(own, lenders, places),
        )

    def settings(self, cell: RunCell) -> JudgeSettings:
        """The judge's thresholds for the cell's series."""
        return settings_of(self.thresholds.get(cell.series_key, {}))

    def floors(self, before: RunCell, after: RunCell) -> Floors:
        """The noise between boots of both cells, with what their siblings lend."""
        keys = dict.fromkeys((before.series_key, after.series_key))
        own = pooled([_UNMEASURED, *(self.own[key] for key in keys if key in self.own)])
        return with_siblings(own, self.siblings.get(after.series_key, NO_SIBLINGS), self.settings(after))

    def state(self, cell: RunCell, metric: Metric) -> State:
        """The cell's state, unknown where nothing was judged."""
        return self.states.get((cell.series_key, cell.revision, metric.value), State.UNKNOWN)

    def until(self, cell: RunCell, metric: Metric) -> list[State]:
        """The states of the cell's series before its revision, oldest first."""
        here = revision_key(cell.revision)
        history = self.histories.get((cell.series_key, metric.value), ())
        return [state for revision, state in history if revision_key(revision) < here]


def _unclear(pairs: Iterable[Pair[RunCell]], states: Mapping[tuple[str, str, str], State]) -> set[str]:
    """Series of the cells whose change has a word that depends on what came before."""
    found = set()
    for pair in pairs:
        if pair.before is None or pair.after is None or pair.before.revision == pair.after.revision:
            continue
        sides = ((pair.before.series_key, pair.before.revision), (pair.after.series_key, pair.after.revision))
        for metric in Metric:
            old, new = (states.get((*place, metric.value), State.UNKNOWN) for place in sides)
            if old is not new and old is not State.HEALTHY:
                found.add(pair.before.series_key)
    return found
