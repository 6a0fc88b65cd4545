"""All that is read to explain flips, each question asked once however many flips share it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matrix.core.expectation import Expectation
from matrix.core.state import Metric, State
from matrix.stats.fault import Fault, Neighbour, Side, fault
from matrix.store import Store
from matrix.store.views import FlipView


@dataclass(frozen=True, slots=True)
class Known:
    """What is read for all flips at once."""

    sides: dict[str, Side]
    histories: dict[tuple[str, str], list[tuple[str, State]]]
    numbers: dict[tuple[str, str, str], dict[str, Any]]
    published: dict[str, list[Expectation]]
    witnesses: "Witnesses"

    @classmethod
    def read(cls, store: Store, flips: Sequence[FlipView]) -> "Known":
        return cls(
            sides=store.compare.sides(run for f in flips for run in (f.from_run, f.to_run)),
            histories=store.compare.histories({f.series_key for f in flips}),
            numbers=store.compare.numbers((f.series_key, f.to_run) for f in flips),
            published=store.published.all(),
            witnesses=Witnesses(store),
        )


class Witnesses:
    """What lies beside a flip, each question asked once however many flips share it."""

    def __init__(self, store: Store) -> None:
        self._compare = store.compare
        self._beside: dict[tuple[str, str, Metric], list[Neighbour]] = {}
        self._elsewhere: dict[tuple[str | None, ...], list[Neighbour]] = {}

    def fault(self, flip: FlipView, before: Side | None, after: Side | None) -> Fault:
        metric = Metric(flip.metric)
        if after is None:
            return fault(metric, State(flip.after), before, None)
        earlier = before or self._compare.predecessor(after)
        beside = self._on_release(flip.engine, flip.to_revision, metric)
        return fault(metric, State(flip.after), earlier, after, beside, self._on_other_engines(after))

    def _on_release(self, engine: str, revision: str, metric: Metric) -> list[Neighbour]:
        key = (engine, revision, metric)
        if key not in self._beside:
            self._beside[key] = self._compare.beside(*key)
        return self._beside[key]

    def _on_other_engines(self, side: Side) -> list[Neighbour]:
        key = (side.engine, side.draft_content, side.target_content, side.target)
        if key not in self._elsewhere:
            self._elsewhere[key] = self._compare.elsewhere(side)
        return self._elsewhere[key]
