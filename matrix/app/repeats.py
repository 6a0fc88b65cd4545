"""A/A cells: which healthy cells a sweep boots once more, so that the noise between boots is measured, not assumed."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from matrix.app.planned import Planned, at_boot
from matrix.core.state import Metric, State
from matrix.plan.history import revision_order
from matrix.store import Store


def repeats(
    cells: Sequence[Planned], store: Store | None, wanted: int, due: Collection[str] = ()
) -> tuple[Planned, ...]:
    """At most one cell of each engine, to be run at another boot ordinal.

    It is a drafted cell of the engine's oldest release among `cells`, healthy as far as is known, of the first series
    that has fewer than `wanted` repeated boots. An engine with nothing to do gets one only where none of its series
    was ever repeated, so that a sweep of what is known measures nothing once the noise is. With `due` it is the engines
    named there, whatever there is to do.
    """
    if not wanted:
        return ()
    keys = {p.cell.series_key for p in cells}
    had = store.judged.repeats(keys) if store is not None else {}
    groups: dict[str, list[Planned]] = defaultdict(list)
    for planned in cells:
        groups[planned.cell.revision.engine].append(planned)
    chosen = (engine in due if due else _due(group, had) for engine, group in groups.items())
    found = (_of_engine(g, store, wanted, had) for g, asked in zip(groups.values(), chosen, strict=True) if asked)
    return tuple(planned for planned in found if planned is not None)


def _due(group: Sequence[Planned], had: Mapping[str, int]) -> bool:
    return any(p.to_build for p in group) or not any(p.cell.series_key in had for p in group)


def _of_engine(group: Sequence[Planned], store: Store | None, wanted: int, had: Mapping[str, int]) -> Planned | None:
    oldest = min((p.cell.revision.version for p in group), key=revision_order)
    fitting = [p for p in group if p.cell.revision.version == oldest and _fits(p, store)]
    # The cheapest is as good as any: all series of the engine borrow its noise.
    fitting.sort(key=lambda p: p.cell.workload.uptime_min)
    chosen = next((p.cell for p in fitting if had.get(p.cell.series_key, 0) < wanted), None)
    if chosen is None:
        return None
    return at_boot(chosen, max(1, store.runs.next_boot(chosen)) if store is not None else 1)


def _fits(planned: Planned, store: Store | None) -> bool:
    cell = planned.cell
    if planned.unsupported or cell.spec.is_baseline:
        return False
    if planned.known is None or store is None:
        return True
    states = dict(store.series.states(cell.series_key, Metric.ACCEPT_LENGTH))
    return states.get(cell.revision.version) is State.HEALTHY
